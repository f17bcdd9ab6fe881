package rpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"agentleague/protocol"
)

// Some calls fail until a person changes something. Their errors contain the advice.

// A permanentError is the error of a call that fails again if it is repeated.
type permanentError struct {
	err   *protocol.Error
	cause error
}

func (e *permanentError) Error() string   { return e.err.Error() }
func (e *permanentError) Unwrap() []error { return []error{e.err, e.cause} }

// An unreachedError is the error of a call that failed in the network.
type unreachedError struct {
	err    *protocol.Error
	cause  error // of the network
	unsent bool  // there was no connection, so that the peer did not receive the message
}

func (e *unreachedError) Error() string { return e.err.Error() }
func (e *unreachedError) Unwrap() error { return e.err }

// Unsent reports whether the peer has certainly not received the message of a failed call.
func Unsent(err error) bool {
	var e *unreachedError
	return errors.As(err, &e) && e.unsent
}

// dialing reports whether a network error occurred before the connection was established.
func dialing(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// wantsTLS is the answer of Go's servers to plain HTTP on a port for TLS.
var wantsTLS = []byte("Client sent an HTTP request to an HTTPS server")

// errWantsTLS is the permanent error of a call by plain HTTP to a TLS port.
var errWantsTLS = errors.New("it speaks TLS: write its address with https://")

// Permanent returns an error that wraps a [protocol.Error] with advice for a person if retrying a failed call is
// useless, or nil if a retry may succeed.
func Permanent(err error) error {
	var known *permanentError
	if errors.As(err, &known) {
		return known
	}
	var no *NotAllowed
	if errors.As(err, &no) {
		return &permanentError{protocol.Errorf(protocol.EndpointNotAllowed, "%s", no.Why), err}
	}
	if errors.Is(err, errNoEndpoint) {
		return &permanentError{protocol.Errorf(protocol.Connection, "%v", errNoEndpoint), err}
	}
	if why := distrust(err); why != "" {
		return &permanentError{protocol.Errorf(protocol.Connection, "%s", why), err}
	}
	return nil
}

// distrust explains the error of verifying a peer's TLS certificate, or returns "" for any other error.
func distrust(err error) string {
	var plain tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, errWantsTLS):
		return err.Error()
	case errors.As(err, &plain) || errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS: write its address with http://"
	case errors.As(err, &unknown):
		return "its certificate is not signed by a trusted CA"
	case errors.As(err, &name):
		return "its certificate is for another name: " + name.Error()
	case errors.As(err, &invalid):
		return "its certificate is not valid: " + invalid.Error()
	}
	return ""
}

// Unreached describes a network error for people, such as "connection refused", without operations and addresses.
func Unreached(err error) string {
	var number syscall.Errno
	var name *net.DNSError
	var op *net.OpError
	var call *unreachedError
	switch {
	case errors.As(err, &call):
		return Unreached(call.cause)
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
