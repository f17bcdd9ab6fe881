package store

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A clerk has files that take a millisecond each, and notes its name for each.
type clerk struct {
	name  string
	files int
	notes *notes
}

func (c *clerk) writeNext() (more bool) {
	time.Sleep(time.Millisecond)
	c.notes.add(c.name)
	c.files--
	return c.files > 0
}

type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, name)
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// After what was saved up, writes take a fiftieth of the time, and those that wait take turns.
func TestDerivedFilesTakeAFiftiethOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b background
		var wrote notes
		start := time.Now()
		for _, name := range []string{"a", "b", "c"} {
			b.add(&clerk{name, 100, &wrote})
		}
		time.Sleep(maxSaved)
		synctest.Wait()
		if n := len(wrote.all()); n < 64+55 || n > 64+65 {
			t.Errorf("after %v %d files of a millisecond are written, want 64 at once and 20 a second", maxSaved, n)
		}
		for len(wrote.all()) < 300 {
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if took := time.Since(start); took < 10*time.Second || took > 16*time.Second {
			t.Errorf("300 files of a millisecond took %v, want a fiftieth of the time less what was saved up", took)
		}
		if want := []string{"a", "b", "c", "a", "b", "c"}; !slices.Equal(wrote.all()[:6], want) {
			t.Errorf("written in the order %v, want %v", wrote.all()[:6], want)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
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
