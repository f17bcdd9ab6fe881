package host

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"syscall"

	"agentleague/rpc"
)

// A Net is how the agents of this process meet other machines: where these
// reach them, whom they may call, and with which certificates.
type Net struct {
	Host  string // the name or address that is listened on and registered
	Guard rpc.Guard
	Shown *tls.Config // with which they listen; nil: plain HTTP
	Trust *tls.Config // with which they call; nil: as the system does

	Public     string // the address at which others reach the manager through a proxy; "": the one it listens at
	AuthServer string // the issuer whose tokens count as the admin's over MCP; "": there is none

	once   sync.Once
	shared *rpc.HTTP // of the agents that share a port
}

// network is the one that all agents which share a port call others by, made with the options of the first: a crowd
// has a few connections, not a few for each.
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

// Listen takes a port for an agent, which an error calls by the name what.
func (n *Net) Listen(port int, what string) (*rpc.Server, error) {
	server, err := rpc.Place{Host: n.Host, Port: port, TLS: n.Shown}.Listen()
	if err != nil {
		return nil, &ListenError{What: what, Host: n.Host, Port: port, Err: err}
	}
	return server, nil
}

// Caller is how those are called whose address was typed by somebody who means it.
func (n *Net) Caller() rpc.Options { return rpc.Options{Guard: rpc.Anywhere, TLS: n.Trust} }

// A ListenError says who cannot listen on which port, and why.
type ListenError struct {
	What, Host string
	Port       int
	Err        error
}

// Error says which agent could not listen where. A port in use is the usual reason, and said in plain words.
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
