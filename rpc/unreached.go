package rpc

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"agentleague/protocol"
)

// Unreached returns why a network brought no answer, in words for a person: "connection refused", without the
// operations and addresses that Go's errors are wrapped in.
func Unreached(err error) string {
	var number syscall.Errno
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &name):
		return "its host name is not known (" + name.Err + ")"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection without a whole answer"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &op) && op.Timeout():
		return "no connection in time"
	case errors.As(err, &op):
		return protocol.Clip(protocol.Plain(op.Err.Error()), 300)
	}
	return protocol.Clip(protocol.Plain(err.Error()), 300)
}
