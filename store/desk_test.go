package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// restsUntil is the end of a memory's rest; zero: it has not been written yet.
func restsUntil(m *Memory) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rests
}

// written counts memories that have had their turn.
func written(all []*Memory) (n int) {
	for _, m := range all {
		if !restsUntil(m).IsZero() {
			n++
		}
	}
	return n
}

func TestACrowdOfMemoriesIsWrittenInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turn = 50 * time.Millisecond
		d := newDesk(turn, 10)
		var all []*Memory
		for range 30 {
			m := NewMemory(nil, "", "", nil)
			all = append(all, m)
			d.queueAfter(0, m)
		}
		for wait, want := range []int{10, 11, 12} {
			synctest.Wait()
			if got := written(all); got != want {
				t.Errorf("after %d turns %d are written, want %d", wait, got, want)
			}
			time.Sleep(turn)
		}
		time.Sleep(17 * turn)
		synctest.Wait()
		if got := written(all); got != 30 {
			t.Errorf("after 20 turns %d are written, want all", got)
		}
		if d.busy || d.waiting != nil {
			t.Error("a desk without work is still busy")
		}
	})
}

func TestAMemoryRestsBetweenTwoWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(time.Millisecond, 10)
		m := NewMemory(nil, "", "", nil)
		d.queueAfter(0, m)
		synctest.Wait()
		if left := time.Until(restsUntil(m)); left != minRest {
			t.Errorf("it rests for %v, want %v", left, minRest)
		}
		first := restsUntil(m)
		d.queueAfter(time.Until(restsUntil(m)), m)
		time.Sleep(minRest - time.Nanosecond)
		synctest.Wait()
		if restsUntil(m) != first {
			t.Error("it was written while it rested")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if restsUntil(m) == first {
			t.Error("it was not written when it had rested")
		}
	})
}

// Writes that take 2 ms each are due a tenth of a second apart, however many players they are of; a crowd for which that
// would be too late, and a disk that is slow, have them after a burst of turns.
func TestMemoriesRestTogether(t *testing.T) {
	const turn, burst = 50 * time.Millisecond, 64
	now := time.Now()
	for _, c := range []struct {
		written int
		took    time.Duration
		want    time.Duration // the rest of the last
	}{
		{1, 2 * time.Millisecond, minRest},
		{10, 2 * time.Millisecond, minRest},
		{20, 2 * time.Millisecond, 2 * time.Second},
		{100, 2 * time.Millisecond, burst * turn},
		{1, time.Minute, burst * turn},
	} {
		d, got := newDesk(turn, burst), time.Duration(0)
		for range c.written {
			got = d.rest(now, c.took)
		}
		if got != c.want {
			t.Errorf("after %d writes of %v the last rests for %v, want %v", c.written, c.took, got, c.want)
		}
		later := now.Add(burst * turn)
		if got := d.rest(later, time.Millisecond); got != minRest {
			t.Errorf("after a pause one rests for %v, want %v", got, minRest)
		}
	}
}
