package host

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// newcomers are agents of a process that register on command and then wait.
type newcomers struct {
	crew    *Crew
	came    int           // that have come in
	welcome chan struct{} // one for each that may register
	end     chan struct{} // closed when all are to end
}

func newcomersOf(t *testing.T, n int) *newcomers {
	w := &newcomers{crew: NewCrew(t.Context()), welcome: make(chan struct{}), end: make(chan struct{})}
	for i := range n {
		w.crew.Enter(func(ready func(id, at string), ended func(error)) {
			w.crew.mu.Lock()
			w.came++
			w.crew.mu.Unlock()
			<-w.welcome
			ready(fmt.Sprint("P", i), "here")
			go func() { <-w.end; ended(nil) }()
		})
	}
	synctest.Wait()
	return w
}

func TestFewOfACrewComeInAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newcomersOf(t, 3*slots)
		if w.came != slots {
			t.Fatalf("%d came in at once, want %d", w.came, slots)
		}
		for n := range 3 * slots {
			w.welcome <- struct{}{}
			synctest.Wait()
			if want := min(slots+n+1, 3*slots); w.came != want {
				t.Fatalf("when %d had registered %d had come in, want %d", n+1, w.came, want)
			}
		}
		w.crew.Registered()
		close(w.end)
		w.crew.Wait()
	})
}

func TestWhoWaitsForItsManagerDoesNotKeepTheOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newcomersOf(t, slots+1)
		time.Sleep(slotTimeout)
		synctest.Wait()
		if w.came != slots+1 {
			t.Errorf("%d came in, want everybody", w.came)
		}
		close(w.welcome)
		w.crew.Registered()
		close(w.end)
		w.crew.Wait()
	})
}

func TestTheFirstFailureOfACrewEndsItsContext(t *testing.T) {
	c := NewCrew(t.Context())
	failed := errors.New("no place")
	for n := range 2 * slots {
		c.Start(func(ready func(id, at string)) error {
			if n == slots {
				return failed
			}
			ready(fmt.Sprint("P", n), "here")
			<-c.Context.Done()
			return nil
		})
	}
	c.Registered()
	c.Wait()
	if got := context.Cause(c.Context); !errors.Is(got, failed) {
		t.Errorf("the context ended with %v, want %v", got, failed)
	}
}

func TestAQueueRegistersInItsOrderHoweverLongItIs(t *testing.T) {
	c := NewCrew(t.Context())
	var order []int
	for n := range 3 * slots {
		c.Queue(func(ready func(id, at string)) error {
			order = append(order, n) // one at a time, in turn
			ready(fmt.Sprint("P", n), "here")
			return nil
		})
	}
	c.Wait()
	for n, got := range order {
		if n != got {
			t.Fatalf("the %d-th to register was %d", n, got)
		}
	}
	if len(order) != 3*slots {
		t.Errorf("%d registered", len(order))
	}
}
