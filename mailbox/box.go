package mailbox

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// offerAgain is the time after which a pull mailbox offers an unanswered letter again.
const offerAgain = 30 * time.Second

// remembered is the number of answered letters that each end remembers.
const remembered = 1000

// A letter is a message for the reader of a mailbox.
type letter struct {
	ID       string
	Deadline time.Time
	Body     []byte
}

// An Answer is the answer to a letter.
type Answer struct {
	Status int    // the HTTP status of the agent; 0 means 200
	Body   []byte // JSON-RPC
	Error  string // why the agent could not be reached; "": it answered
}

// A box is one mailbox: its open letters and its reader. It is safe for concurrent use.
type box struct {
	limits Limits

	mu       sync.Mutex
	open     []*envelope // the oldest first
	reader   *reader     // the newest; nil: none
	changed  chan struct{}
	answered ring[struct{}]
	seen     time.Time // the newest sign of the reader
}

// An envelope is an open letter.
type envelope struct {
	letter
	answer  chan Answer // receives the first answer
	by      *reader     // it was offered to; nil: to none that is still there
	offered time.Time
}

// newBox returns an empty mailbox.
func newBox(l Limits) *box { return &box{limits: l.withDefaults(), changed: make(chan struct{})} }

// Post offers a letter to the reader of the mailbox and returns the first answer. Without an answer it returns an
// error when ctx ends, or [errRestarted].
func (b *box) Post(ctx context.Context, body []byte) (Answer, error) {
	e := &envelope{letter: letter{ID: nonce(), Body: body}, answer: make(chan Answer, 1)}
	e.Deadline, _ = ctx.Deadline()
	if err := b.add(e); err != nil {
		return Answer{}, err
	}
	defer b.remove(e)
	select {
	case a, ok := <-e.answer:
		if !ok {
			return Answer{}, errRestarted
		}
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// add opens a letter.
func (b *box) add(e *envelope) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case int64(len(e.Body)) > b.limits.Body:
		return refuse(http.StatusRequestEntityTooLarge, "a letter has at most %d bytes (mailboxes.max_bytes)", b.limits.Body)
	case len(b.open) >= b.limits.Letters:
		return refuse(http.StatusTooManyRequests, "the mailbox has %d open letters; answer them first",
			b.limits.Letters)
	}
	b.open = append(b.open, e)
	b.notify()
	return nil
}

// remove closes a letter.
func (b *box) remove(e *envelope) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.open {
		if other == e {
			b.open = append(b.open[:i:i], b.open[i+1:]...)
			return
		}
	}
}

// notify wakes the readers. The caller holds the lock.
func (b *box) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Answer passes an answer to the letter that waits for it. A repeated answer is accepted without effect. The error is
// [errLate] if no letter waits for it.
func (b *box) Answer(id string, a Answer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = time.Now()
	if _, again := b.answered.get(id); again {
		return nil
	}
	for i, e := range b.open {
		if e.ID != id {
			continue
		}
		if int64(len(a.Body)) > b.limits.Body {
			return refuse(http.StatusRequestEntityTooLarge, "an answer has at most %d bytes (mailboxes.max_bytes)", b.limits.Body)
		}
		b.open = append(b.open[:i:i], b.open[i+1:]...)
		b.answered.put(id, struct{}{})
		e.answer <- a
		return nil
	}
	return errLate
}

// Online reports whether the mailbox has a reader, or had one within the last minute.
func (b *box) Online() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reader != nil || time.Since(b.seen) < time.Minute && !b.seen.IsZero()
}

// Waiting returns the number of pending letters, which are neither answered nor expired.
func (b *box) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open)
}

// idleSince returns the time of the newest sign of a reader, and false while there is one or letters are open.
func (b *box) idleSince() (time.Time, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen, b.reader == nil && len(b.open) == 0
}
