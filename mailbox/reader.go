package mailbox

import (
	"context"
	"time"
)

// A reader is one connection over which the owner of a mailbox receives its letters.
type reader struct {
	box      *box
	instance string        // of the process at the agent's end; "": pull
	again    time.Duration // after which an unanswered letter is offered again; 0: not while the reader is there
	ended    chan struct{} // closed when a newer reader takes over
	second   bool          // it took over from a connection of another process
}

// Poll returns a reader for one request of pull. It ends the reader before it.
func (b *box) Poll() *reader { return b.read(&reader{again: offerAgain}) }

// Attach returns a reader for a connection. It ends the reader before it, and receives all unanswered letters again.
// Letters that another instance of the agent's end received end with [errRestarted].
func (b *box) Attach(instance string) *reader { return b.read(&reader{instance: instance}) }

// read sets the reader of the mailbox, in place of the previous one.
func (b *box) read(r *reader) *reader {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.box, r.ended = b, make(chan struct{})
	if b.reader != nil {
		close(b.reader.ended)
		r.second = r.instance != "" && b.reader.instance != "" && r.instance != b.reader.instance
	}
	b.reader, b.seen = r, time.Now()
	if r.instance == "" {
		return r
	}
	kept := b.open[:0:0]
	for _, e := range b.open {
		if e.by != nil && e.by.instance != r.instance {
			close(e.answer)
			continue
		}
		e.offered = time.Time{}
		kept = append(kept, e)
	}
	b.open = kept
	return r
}

// Next waits for a letter that is due and returns it. It returns [ErrReplaced] after a newer reader took over, and the
// error of ctx at its end.
func (r *reader) Next(ctx context.Context) (letter, error) {
	for {
		l, changed, wait := r.take()
		if l != nil {
			return *l, nil
		}
		var due <-chan time.Time
		if wait > 0 {
			t := time.NewTimer(wait)
			defer t.Stop()
			due = t.C
		}
		select {
		case <-r.ended:
			return letter{}, ErrReplaced
		case <-ctx.Done():
			return letter{}, ctx.Err()
		case <-changed:
		case <-due:
		}
	}
}

// take returns a letter that is due. If there is none, it returns a channel that is closed when that may have changed,
// and how long the first offered letter must wait; 0: for ever.
func (r *reader) take() (due *letter, changed <-chan struct{}, wait time.Duration) {
	b := r.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reader != r {
		return nil, b.changed, 0 // its channel ended is closed
	}
	now := time.Now()
	for _, e := range b.open {
		rest := e.offered.Add(r.again).Sub(now)
		if e.offered.IsZero() || r.again > 0 && rest <= 0 {
			e.offered, e.by = now, r
			return &e.letter, nil, 0
		}
		if r.again > 0 && (wait == 0 || rest < wait) {
			wait = rest
		}
	}
	return nil, b.changed, wait
}

// Done ends the reader. Letters that it received remain offered to it.
func (r *reader) Done() { r.end(false) }

// Lost ends the reader after its connection has failed: its unanswered letters are offered to the next reader at once.
func (r *reader) Lost() { r.end(true) }

func (r *reader) end(lost bool) {
	b := r.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reader == r {
		b.reader = nil
	}
	b.seen = time.Now()
	for _, e := range b.open {
		if lost && e.by == r {
			e.offered = time.Time{}
		}
	}
	b.notify()
}
