package store

import (
	"errors"
	"testing"
	"testing/synctest"
)

func TestWhoAsksWhileASyncIsUnderWaySharesTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroupSync()
		syncs := 0
		go1 := make(chan struct{})
		full := errors.New("disk full")
		answers := make(chan error, 11)
		go func() {
			answers <- g.do(func() error { syncs++; <-go1; return nil })
		}()
		synctest.Wait()
		for range 10 {
			go func() { answers <- g.do(func() error { syncs++; return full }) }()
		}
		synctest.Wait()
		if syncs != 1 || len(answers) != 0 {
			t.Fatalf("got %d syncs and %d answers during the first, want 1 and none", syncs, len(answers))
		}
		close(go1)
		synctest.Wait()
		if syncs != 2 || len(answers) != 11 {
			t.Fatalf("got %d syncs and %d answers, want 2 and 11", syncs, len(answers))
		}
		failed := 0
		for range 11 {
			if err := <-answers; errors.Is(err, full) {
				failed++
			}
		}
		if failed != 10 {
			t.Errorf("got %d failures, want those of all 10 that shared the sync", failed)
		}
	})
}
