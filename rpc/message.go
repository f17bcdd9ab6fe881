package rpc

import (
	"errors"
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
