package enginetest

import (
	"errors"
	"fmt"
	"sync"

	"agentleague/engine"
)

// fenceLaws keep two managers from writing the same log.
var fenceLaws = []law{
	{"a stale append is fenced", staleAppendIsFenced},
	{"a future append is fenced", futureAppendIsFenced},
	{"a second handle fences the first", secondHandleFencesFirst},
	{"one appender wins each sequence", oneAppenderWins},
}

// An appender that does not know the end of the log has missed entries of another: a manager that was considered dead
// and resumed. Nothing of its batch may be stored.
func staleAppendIsFenced(r *rig) {
	e := r.open()
	r.appendAll(e, "league", "one", "two")
	for prev := range uint64(2) {
		_, err := e.Append(r.Context(), "league", prev, []byte("late"))
		r.refused(fmt.Sprintf("append after %d of 2", prev), err, engine.ErrFenced)
	}
	r.reads(e, "league", 0, "one", "two")
	r.append(e, "league", 2, "three")
}

// A number beyond the end would leave a gap that no reader could explain.
func futureAppendIsFenced(r *rig) {
	e := r.open()
	_, err := e.Append(r.Context(), "league", 1, []byte("early"))
	r.refused("append after 1 of 0", err, engine.ErrFenced)
	r.append(e, "league", 0, "one")
	for _, prev := range []uint64{2, 100, ^uint64(0)} {
		_, err := e.Append(r.Context(), "league", prev, []byte("early"))
		r.refused(fmt.Sprintf("append after %d of 1", prev), err, engine.ErrFenced)
	}
	r.reads(e, "league", 0, "one")
}

// The handle that appends last owns the log from then on; the other learns of it at its next append, from the error.
func secondHandleFencesFirst(r *rig) {
	a, b := r.pair()
	r.append(a, "league", 0, "epoch of a")
	r.append(b, "league", 1, "epoch of b")
	_, err := a.Append(r.Context(), "league", 1, []byte("a goes on"))
	r.refused("append by the stale owner", err, engine.ErrFenced)
	r.append(b, "league", 2, "b goes on")
	r.reads(a, "league", 0, "epoch of a", "epoch of b", "b goes on")
}

// Of any number of concurrent appends at one place exactly one batch is stored, and exactly its appender succeeds.
func oneAppenderWins(r *rig) {
	a, b := r.pair()
	var winners []string
	for prev := range uint64(20) {
		won := r.race(prev, a, b, a, b, a, b)
		if len(won) != 1 {
			r.Fatalf("sequence %d: acknowledged to %q, want exactly one", prev+1, won)
		}
		winners = append(winners, won[0])
	}
	r.reads(a, "league", 0, winners...)
	r.reads(b, "league", 0, winners...)
}

// race lets every engine append after prev at once and returns the batches that were acknowledged.
func (r *rig) race(prev uint64, engines ...engine.Engine) (won []string) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i, e := range engines {
		wg.Go(func() {
			batch := fmt.Sprintf("racer %d after %d", i, prev)
			_, err := e.Append(r.Context(), "league", prev, []byte(batch))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, batch)
			} else if !errors.Is(err, engine.ErrFenced) {
				r.Errorf("%s: got error %v, want %v", batch, err, engine.ErrFenced)
			}
		})
	}
	wg.Wait()
	return won
}
