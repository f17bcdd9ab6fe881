package rpc

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
)

// A Message is one message as it passed, for a log. It is not to be changed.
type Message struct {
	Sent      bool
	Peer      string           // the endpoint of a called agent; the address of a caller
	Message   protocol.Message // nil: it could not be read, or did not come
	Reply     bool             // it answers a message from the other side
	Elapsed   time.Duration    // of a reply: since the message that it answers
	Err       error            // the error in it, or why it did not come; the refusal in a reply
	ErrorCode string           // of Err, if the protocol has one for it
	Warnings  []string         // tolerated oddities and missing members
}

// errorCode is the code of a message that failed, as logs and metrics have it; "" if none fits.
func errorCode(m Message) string {
	if m.Err == nil {
		return ""
	}
	var known *protocol.Error
	if errors.As(m.Err, &known) {
		return known.Kind.Code
	}
	if m.Sent {
		return protocol.Internal.Code
	}
	if kind, ok := refused(m.Err); ok {
		return kind.Code
	}
	return ""
}

// refused returns the kind of error that a peer answered with, if it named one.
func refused(err error) (*protocol.Kind, bool) {
	var theirs *protocol.Refusal
	if !errors.As(err, &theirs) {
		return nil, false
	}
	return protocol.KindNamed(theirs.Name)
}

// warned remembers which warnings were logged. Its zero value is ready, and it is safe for concurrent use.
type warned struct {
	mu sync.Mutex
	at map[string]time.Time // by text and subject
}

// warnEvery is how often a warning about one subject is logged.
const warnEvery = time.Minute

// warn logs a warning about a subject, unless it was logged within the last minute.
func (w *warned) warn(log *slog.Logger, text, about string) {
	w.mu.Lock()
	last, known := w.at[text+about]
	due := !known || time.Since(last) >= warnEvery
	if due {
		if w.at == nil || len(w.at) > 64 {
			w.at = map[string]time.Time{}
		}
		w.at[text+about] = time.Now()
	}
	w.mu.Unlock()
	if due {
		log.Warn(text, slog.String("address", about))
	}
}
