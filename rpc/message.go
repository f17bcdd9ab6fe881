package rpc

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/protocol/conform"
)

// A Message is a message that was sent or received, for a log. It must not be changed.
type Message struct {
	Sent      bool
	Peer      string           // the endpoint of a called agent; the address of a caller
	Message   protocol.Message // nil: it could not be read, or did not come
	Reply     bool             // it answers a message from the other side
	Elapsed   time.Duration    // of a reply: since the message that it answers
	Err       error            // the error in it, or why it did not come; the refusal in a reply
	ErrorCode string           // of Err, if the protocol has one for it
	Warnings  []string         // tolerated oddities and missing members

	Type       protocol.Type       // of the message, or of the one that it answers, where Violations has any
	Violations []conform.Violation // of the documents' rules, in strict mode
	Agent      string              // that broke them, such as player:P01
	Verified   bool                // it is certain that it was this agent
}

// errorCode returns the code of a failed message for logs and metrics, or "" if there is none.
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

// refused returns the kind of the error that a peer returned; the second result is false if it has no known kind.
func refused(err error) (*protocol.Kind, bool) {
	var theirs *protocol.Refusal
	if !errors.As(err, &theirs) {
		return nil, false
	}
	return protocol.KindNamed(theirs.Name)
}

// warned limits the rate of warnings by their subject. The zero value is ready to use. It is safe for concurrent use.
type warned struct {
	mu sync.Mutex
	at map[string]time.Time // by text and subject
}

// warnEvery is the minimum interval between warnings about one subject.
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
