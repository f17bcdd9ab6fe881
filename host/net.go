package host

import (
	"crypto/tls"
	"fmt"

	"agentleague/rpc"
)

// A Net is how the agents of this process meet other machines: where these
// reach them, whom they may call, and with which certificates.
type Net struct {
	Host  string // the name or address that is listened on and registered
	Guard rpc.Guard
	Shown *tls.Config // with which they listen; nil: plain HTTP
	Trust *tls.Config // with which they call; nil: as the system does
}

// Listen takes a port for an agent; what is who wants it. A port that is in use
// says so.
func (n *Net) Listen(port int, what string) (*rpc.Server, error) {
	server, err := rpc.Place{Host: n.Host, Port: port, TLS: n.Shown}.Listen()
	if err != nil {
		return nil, &ListenError{What: what, Host: n.Host, Port: port, Err: err}
	}
	return server, nil
}

// Caller is how those are called whose address was typed by somebody who means it.
func (n *Net) Caller() rpc.Options { return rpc.Options{Guard: rpc.Anywhere, TLS: n.Trust} }

// A ListenError says that a port could not be had.
type ListenError struct {
	What, Host string
	Port       int
	Err        error
}

func (e *ListenError) Error() string {
	if e.Host == "localhost" {
		return fmt.Sprintf("%s cannot listen on port %d: %v", e.What, e.Port, e.Err)
	}
	return fmt.Sprintf("%s cannot listen on %s, port %d: %v", e.What, e.Host, e.Port, e.Err)
}

func (e *ListenError) Unwrap() error { return e.Err }
