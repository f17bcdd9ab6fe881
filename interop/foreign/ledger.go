package foreign

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Heard is one request that an agent received.
type Heard struct {
	Kind    Kind
	Status  int    // of the answer over HTTP
	Refused bool   // it was not in the agent's own framing and name, and nothing was done
	Body    string // as it came
	At      time.Time
}

// A ledger records the requests of an agent.
type ledger struct {
	mu        sync.Mutex
	heard     []Heard
	callbacks []string // the outcomes of callbacks that were refused
}

// note records a request, with the time.
func (l *ledger) note(h Heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.At = time.Now()
	l.heard = append(l.heard, h)
}

// Note records a request. It is for handlers that implement other framings outside this package.
func (l *ledger) Note(h Heard) { l.note(h) }

// noteCallback records the error of a callback that failed or was refused; a successful callback is not recorded.
func (l *ledger) noteCallback(messageType string, reply object, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.callbacks = append(l.callbacks, fmt.Sprintf("%s: %v", messageType, err))
	case reply["error"] != nil:
		l.callbacks = append(l.callbacks, fmt.Sprintf("%s: %s", messageType, encode(reply["error"])))
	}
}

// Heard returns every request so far, in order.
func (l *ledger) Heard() []Heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

// Count returns the number of requests of a kind that were not refused.
func (l *ledger) Count(kind Kind) (n int) {
	for _, h := range l.Heard() {
		if h.Kind == kind && !h.Refused {
			n++
		}
	}
	return n
}

// Guesses returns the refused requests of these kinds. Their senders guessed the agent's dialect wrong.
func (l *ledger) Guesses(kinds ...Kind) (out []Heard) {
	for _, h := range l.Heard() {
		if h.Refused && slices.Contains(kinds, h.Kind) {
			out = append(out, h)
		}
	}
	return out
}

// UntakenCallbacks returns the errors of callbacks that failed or were refused, each prefixed with the message type.
func (l *ledger) UntakenCallbacks() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.callbacks)
}
