package rpc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"agentleague/protocol"
)

// Some calls fail permanently: a person must change something first. Their errors have the advice.

// A permanentError is the error of a call that fails again if it is repeated.
type permanentError struct {
	err   *protocol.Error
	cause error
}

func (e *permanentError) Error() string   { return e.err.Error() }
func (e *permanentError) Unwrap() []error { return []error{e.err, e.cause} }

// wantsTLS is the answer of Go's servers to plain HTTP on a port for TLS.
var wantsTLS = []byte("Client sent an HTTP request to an HTTPS server")

// errWantsTLS is permanent: asking again the same way cannot succeed.
var errWantsTLS = errors.New("it speaks TLS: write its address with https://")

// Permanent returns the error of a call that fails however often it is repeated, as a [protocol.Error] with advice,
// or nil if a retry may succeed.
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

// distrust explains a failed TLS handshake in a sentence, or returns "" for another error.
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
