package manager

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/league"
)

// ahead is the maximum number of entries that are read before they are applied.
const ahead = 64

// foldAll builds a manager's state from its whole log, and returns the last entry's number. Entries are read and
// checked while those before them are decoded, on all processors, to shorten the startup. The result equals that of
// sequential decoding; of several errors it returns the first in the log.
func foldAll(log iter.Seq2[engine.Entry, error]) (s *league.State, last uint64, err error) {
	f := newFolding()
	defer f.end() // also when a test lets this goroutine crash
	var broken error
	for e, err := range log {
		if broken = err; err != nil || !f.add(e) {
			break
		}
		last = e.Seq
	}
	if f.end(); f.err == nil { // a bad entry before the read error takes precedence
		f.err = broken
	}
	if f.err != nil {
		return nil, 0, f.err
	}
	return f.state, last, nil
}

// A folding builds a state from entries: several goroutines decode them, one applies them in order.
type folding struct {
	state  *league.State
	err    error
	order  chan *decoding // as they came
	work   chan *decoding
	failed chan struct{} // closed when no more are wanted
	ended  sync.Once
	all    sync.WaitGroup
}

// A decoding is one entry and its decoded events.
type decoding struct {
	engine.Entry
	done   chan struct{} // closed when it is decoded
	at     time.Time
	events []league.Event
	err    error
}

// newFolding starts the goroutines of a fold: one decoder per processor, and one that applies the entries in order.
func newFolding() *folding {
	f := &folding{
		state: league.NewSummaryState(), order: make(chan *decoding, ahead), work: make(chan *decoding, ahead),
		failed: make(chan struct{}),
	}
	for range runtime.GOMAXPROCS(0) {
		f.all.Go(f.decode)
	}
	f.all.Go(f.apply)
	return f
}

// add queues the next entry. It returns false if the decoding or application of an earlier entry failed.
func (f *folding) add(e engine.Entry) (ok bool) {
	d := &decoding{Entry: e, done: make(chan struct{})}
	select {
	case f.order <- d:
		f.work <- d
		return true
	case <-f.failed:
		return false
	}
}

// decode decodes queued entries. It drops the bytes of each entry after decoding, so that memory does not grow with the
// log.
func (f *folding) decode() {
	for d := range f.work {
		d.at, d.events, d.err = league.DecodeLean(d.Data)
		d.Data = nil
		close(d.done)
	}
}

// apply adds the decoded entries to the state, in order. After the first failure it only receives entries, so that no
// decoder blocks.
func (f *folding) apply() {
	for d := range f.order {
		if <-d.done; f.err != nil {
			continue
		}
		for _, e := range d.events {
			if d.err == nil {
				d.err = f.state.Apply(d.at, e)
			}
		}
		if d.err != nil {
			f.err = fmt.Errorf("entry %d: %w", d.Seq, d.err)
			close(f.failed)
			continue
		}
		f.state.Written(d.Seq, d.Hash, d.events)
	}
}

// end waits until all queued entries are applied, and stops the goroutines.
func (f *folding) end() {
	f.ended.Do(func() {
		close(f.order)
		close(f.work)
	})
	f.all.Wait()
}
