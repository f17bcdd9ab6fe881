package interop_test

import (
	"sync"
	"testing"
)

// together runs a subtest for each item, atOnce at a time, whatever the number of processors: leagues mostly wait.
func together[T any](t *testing.T, items []T, atOnce int, name func(T) string, run func(t *testing.T, item T)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, atOnce)
	for _, item := range items {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			t.Run(name(item), func(t *testing.T) { run(t, item) })
		})
	}
}
