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

// network is shared by all agents on one port, made with the options of the first: a large group then needs only a
// few connections.
func (n *Net) network(o rpc.Options) rpc.Network {
	n.once.Do(func() { n.shared = rpc.NewNetwork(o) })
	return n.shared
}

// Names are the hosts by which the agents of this process are called.
func (n *Net) Names() []string {
	names := []string{n.Host}
	if u, err := url.Parse(n.Public); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	return names
}

// Listen opens a port for an agent, which an error calls by the name what.
func (n *Net) Listen(port int, what string) (*rpc.Server, error) {
	server, err := rpc.Place{Host: n.Host, Port: port, TLS: n.Shown}.Listen()
	if err != nil {
		return nil, &ListenError{What: what, Host: n.Host, Port: port, Err: err}
	}
	return server, nil
}

// Caller has the options for calls to addresses that the operator typed.
func (n *Net) Caller() rpc.Options { return rpc.Options{Guard: rpc.Anywhere, TLS: n.Trust} }

// A ListenError names the agent and the port that could not be opened.
type ListenError struct {
	What, Host string
	Port       int
	Err        error
}

// Error names the agent and its address. A port in use is the usual reason, and explained in plain words.
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
