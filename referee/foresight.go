package referee

import (
	"sync"

	"agentleague/protocol"
)

// A foresight tells a recorder of the matches that begin, one after the other on a goroutine of its own, which ends
// when none is left: nobody waits for it, and a thousand matches that begin at once need neither stacks nor buffers for
// it.
type foresight struct {
	kept Forewarned // nil: the recorder does not want to know

	mu    sync.Mutex
	begun []*match
	busy  bool
	start protocol.StartMatch // room for the order that is told
}

// add has the recorder told of a match, by a goroutine of running.
func (f *foresight) add(m *match, running *company) {
	if f.kept == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = append(f.begun, m)
	if !f.busy {
		f.busy = true
		running.Go(f.work)
	}
}

// work tells of matches until none is left. A disk that is full, or fails, is told of when they end.
func (f *foresight) work() {
	for m := f.next(); m != nil; m = f.next() {
		f.start = *m.start
		teach(m.env.node, &f.start)
		_ = f.kept.Begun(&f.start)
		f.start = protocol.StartMatch{}
	}
}

// next takes the match that began first, or nil: then the goroutine ends.
func (f *foresight) next() *match {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.begun) == 0 {
		f.begun, f.busy = nil, false
		return nil
	}
	m := f.begun[0]
	f.begun[0], f.begun = nil, f.begun[1:]
	return m
}
