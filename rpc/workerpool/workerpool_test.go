package workerpool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A synctest bubble fails if a goroutine is left in it, so this shows that none outlives Close.
func TestIdleGoroutinesEndOnClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pool
		for range 10 {
			p.Go(func() {})
			synctest.Wait()
			if len(p.idle) != 1 {
				t.Fatalf("%d idle after one function at a time, want 1", len(p.idle))
			}
		}
		p.Go(runtime.Goexit)
		synctest.Wait()
		if len(p.idle) != 0 {
			t.Errorf("%d idle, and the only goroutine has ended", len(p.idle))
		}
		gate := make(chan struct{})
		for range 2 * maxIdle {
			p.Go(func() { <-gate })
		}
		close(gate)
		synctest.Wait()
		if len(p.idle) != maxIdle {
			t.Errorf("%d idle, want %d", len(p.idle), maxIdle)
		}
		p.Close()
		done := false
		p.Go(func() { done = true })
		synctest.Wait()
		if !done || len(p.idle) != 0 {
			t.Errorf("after Close: done %v, and %d idle", done, len(p.idle))
		}
	})
}

// Every function runs exactly once, even if the pool is closed concurrently.
func TestEveryFunctionRunsOnce(t *testing.T) {
	t.Parallel()
	for range 50 {
		var p Pool
		var done, given sync.WaitGroup
		var times atomic.Int32
		for range 8 {
			given.Go(func() {
				for range 20 {
					done.Add(1)
					p.Go(func() {
						times.Add(1)
						done.Done()
					})
				}
			})
		}
		p.Close()
		given.Wait()
		done.Wait()
		p.Close()
		if n := times.Load(); n != 160 {
			t.Fatalf("done %d times, want 160", n)
		}
	}
}

// BenchmarkGo compares the pool with a new goroutine for each function.
func BenchmarkGo(b *testing.B) {
	var p Pool
	defer p.Close()
	for name, do := range map[string]func(func()){"pool": p.Go, "go": func(f func()) { go f() }} {
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

// deep uses some KiB of stack.
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
