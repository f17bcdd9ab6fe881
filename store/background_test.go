package store

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A clerk has files that take a given time each.
type clerk struct {
	name  string
	files int
	takes time.Duration
	wrote *[]string
}

func (c *clerk) writeNext() (more bool) {
	time.Sleep(c.takes)
	*c.wrote = append(*c.wrote, c.name)
	c.files--
	return c.files > 0
}

// After what was saved up, writes take a fiftieth of the time, and those that wait take turns.
func TestDerivedFilesTakeAFiftiethOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b background
		var wrote []string
		start := time.Now()
		for _, name := range []string{"a", "b", "c"} {
			b.add(&clerk{name, 100, time.Millisecond, &wrote})
		}
		time.Sleep(maxSaved)
		synctest.Wait()
		if n := len(wrote); n < 64+55 || n > 64+65 {
			t.Errorf("after %v %d files of a millisecond are written, want 64 at once and 20 a second", maxSaved, n)
		}
		for len(wrote) < 300 {
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if took := time.Since(start); took < 10*time.Second || took > 16*time.Second {
			t.Errorf("300 files of a millisecond took %v, want a fiftieth of the time less what was saved up", took)
		}
		if want := []string{"a", "b", "c", "a", "b", "c"}; !slices.Equal(wrote[:6], want) {
			t.Errorf("written in the order %v, want %v", wrote[:6], want)
		}
		if b.busy || b.waiting != nil {
			t.Error("the writer of derived files is still busy without work")
		}
	})
}

// A disk that is slow delays later files by a limited time.
func TestASlowDiskIsNotHeldAgainstLaterFiles(t *testing.T) {
	var b background
	now := time.Now()
	if got := b.rest(now, time.Minute); got != maxRest {
		t.Errorf("after a write of a minute the pause is %v, want %v", got, maxRest)
	}
	if got := b.rest(now.Add(3*maxSaved), time.Millisecond); got != 0 {
		t.Errorf("later the pause is %v, want none", got)
	}
}
