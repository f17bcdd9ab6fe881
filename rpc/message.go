package rpc

import (
	"errors"
	"time"

	"agentleague/protocol"
)

// A Message is one message as it passed, for a log. It is not to be changed.
type Message struct {
	Sent      bool
	Peer      string           // an endpoint that was called; the address of one that called
	Message   protocol.Message // nil: it could not be read, or did not come
	Reply     bool             // it answers a message from the other side
	Elapsed   time.Duration    // of a reply: since the message that it answers
	Err       error            // why it could not be read or did not come; what a reply refuses
	ErrorCode string           // of Err, if the protocol has one for it
	Warnings  []string         // what was absent or odd, and let pass
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
