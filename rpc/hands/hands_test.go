package hands

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A bubble of virtual time fails if a goroutine is left in it: so none outlives the end.
func TestHandsWaitForMoreUntilTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Hands
		for range 10 {
			h.Do(func() {})
			synctest.Wait()
			if len(h.idle) != 1 {
				t.Fatalf("%d wait for more after one thing at a time, want 1", len(h.idle))
			}
		}
		h.Do(runtime.Goexit)
		synctest.Wait()
		if len(h.idle) != 0 {
			t.Errorf("%d wait for more, and the only one there was has ended", len(h.idle))
		}
		gate := make(chan struct{})
		for range 2 * maxIdle {
			h.Do(func() { <-gate })
		}
		close(gate)
		synctest.Wait()
		if len(h.idle) != maxIdle {
			t.Errorf("%d wait for more, want %d", len(h.idle), maxIdle)
		}
		h.End()
		done := false
		h.Do(func() { done = true })
		synctest.Wait()
		if !done || len(h.idle) != 0 {
			t.Errorf("after the end: done %v, and %d wait for more", done, len(h.idle))
		}
	})
}

// Many give at once, and somebody ends it meanwhile: everything is done, and once.
func TestEverythingIsDoneOnce(t *testing.T) {
	t.Parallel()
	for range 50 {
		var h Hands
		var done, given sync.WaitGroup
		var times atomic.Int32
		for range 8 {
			given.Go(func() {
				for range 20 {
					done.Add(1)
					h.Do(func() {
						times.Add(1)
						done.Done()
					})
				}
			})
		}
		h.End()
		given.Wait()
		done.Wait()
		h.End()
		if n := times.Load(); n != 160 {
			t.Fatalf("done %d times, want 160", n)
		}
	}
}

// BenchmarkDo compares with a goroutine for each.
func BenchmarkDo(b *testing.B) {
	var h Hands
	defer h.End()
	for name, do := range map[string]func(func()){"hands": h.Do, "go": func(f func()) { go f() }} {
		b.Run(name, func(b *testing.B) {
			var done sync.WaitGroup
			for b.Loop() {
				done.Add(1)
				do(func() {
					deep(16)
					done.Done()
				})
				done.Wait()
			}
		})
	}
}

// deep takes some KiB of stack.
//
//go:noinline
func deep(n int) byte {
	var room [512]byte
	room[n%len(room)] = byte(n)
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[n/2]
}
