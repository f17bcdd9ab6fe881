package check

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestOnceIsSafeForConcurrentUse(t *testing.T) {
	s := newSession("http://localhost:1/mcp", Options{})
	var computed atomic.Int32
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			nested := func() int32 { return once(&s.memo, "inner", func() int32 { return computed.Add(1) }) }
			if got := once(&s.memo, "outer", nested); got != 1 {
				t.Errorf("call %d: got %d, want 1", i, got)
			}
			s.begun("outer")
			s.atEnd(func() {})
		})
	}
	wg.Wait()
	if computed.Load() != 1 || len(s.closers) != 64 {
		t.Errorf("computed %d times, want once; %d closers, want 64", computed.Load(), len(s.closers))
	}
}
