package host

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"syscall"

	"agentleague/metrics"
	"agentleague/rpc"
)

// A Net has the network settings of the agents of this process: their public host, the hosts they may call, and their
// certificates.
type Net struct {
	Host  string // the name or address that is listened on and registered
	Guard rpc.Guard
	Shown *tls.Config // with which they listen; nil: plain HTTP
	Trust *tls.Config // with which they call; nil: as the system does

	Public     string // the public address of the manager behind a proxy; "": its listening address
	AuthServer string // the issuer of admin tokens over MCP; "": none

	Figures metrics.Agents // of the managers and referees of this process

	once   sync.Once
	shared *rpc.HTTP // of the agents that share a port
}

// network returns the network that all agents on one port share, so that a large group needs few connections. The first
// call creates it with its options; later calls ignore theirs.
func (n *Net) network(o rpc.Options) rpc.Network {
	n.once.Do(func() { n.shared = rpc.NewNetwork(o) })
	return n.shared
}

// Names returns the host names at which the agents of this process accept requests.
func (n *Net) Names() []string {
	names := []string{n.Host}
	if u, err := url.Parse(n.Public); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	return names
}

// Listen opens a port for an agent. what is the agent's name in the [ListenError].
func (n *Net) Listen(port int, what string) (*rpc.Server, error) {
	server, err := rpc.Place{Host: n.Host, Port: port, TLS: n.Shown}.Listen()
	if err != nil {
		return nil, &ListenError{What: what, Host: n.Host, Port: port, Err: err}
	}
	return server, nil
}

// Caller returns the options for calls to addresses that the operator typed, which may be in any network.
func (n *Net) Caller() rpc.Options { return rpc.Options{Guard: rpc.Anywhere, TLS: n.Trust} }

// A ListenError means that the port of an agent could not be opened.
type ListenError struct {
	What, Host string
	Port       int
	Err        error
}

// Error returns a sentence with the agent and its address. It explains a port that is in use in plain words.
func (e *ListenError) Error() string {
	if errors.Is(e.Err, syscall.EADDRINUSE) {
		return fmt.Sprintf("%s cannot listen: port %d is already in use", e.What, e.Port)
	}
	if e.Host == "localhost" {
		return fmt.Sprintf("%s cannot listen on port %d: %v", e.What, e.Port, e.Err)
	}
	return fmt.Sprintf("%s cannot listen on %s, port %d: %v", e.What, e.Host, e.Port, e.Err)
}

func (e *ListenError) Unwrap() error { return e.Err }
