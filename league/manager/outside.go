package manager

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"agentleague/league"
	"agentleague/rpc"
)

// A manager behind a proxy or a tunnel has two addresses. Agents of its own network use the listening one, others the
// public one, and each receives the address that it used: it may not reach the other.

// outside returns the address that works from anywhere.
func (c *core) outside() string { return cmp.Or(c.opts.PublicEndpoint, c.opts.Endpoint) }

// addresses are those of the manager, the one first that the agent at an endpoint is likelier to use.
func (c *core) addresses(endpoint string) []string {
	switch {
	case c.opts.PublicEndpoint == "":
		return []string{c.opts.Endpoint}
	case authority(endpoint) == authority(c.opts.Endpoint) || isLocal(authority(endpoint)):
		return []string{c.opts.Endpoint, c.opts.PublicEndpoint}
	}
	return []string{c.opts.PublicEndpoint, c.opts.Endpoint}
}

// asked are the addresses of the manager for an agent that applies, the one first that it has asked: that of another
// manager of the cluster if that one has passed its application on.
func (c *core) asked(ctx context.Context, endpoint string) []string {
	out := c.addresses(endpoint)
	via := rpc.Via(ctx)
	if u, err := url.Parse(c.opts.Endpoint); via != "" && err == nil {
		return append([]string{via + u.Path}, out...)
	}
	return out
}

// addressFor is the address by which an agent reaches the manager: a native one has signed which it used.
func (c *core) addressFor(a league.Registered) string {
	switch {
	case c.opts.PublicEndpoint == "" || a.Welcome == nil:
		return c.addresses(a.Endpoint)[0]
	case authority(a.Welcome.Manager) == authority(c.opts.PublicEndpoint):
		return c.opts.PublicEndpoint
	}
	return c.opts.Endpoint
}

// isPublic reports whether an endpoint is the manager's own public address.
func (c *core) isPublic(endpoint string) bool {
	return c.opts.PublicEndpoint != "" && strings.EqualFold(strings.TrimSuffix(endpoint, "/"), c.opts.PublicEndpoint)
}

// authority returns the host of an address, with its port if it names one.
func authority(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Host)
}

// isLocal reports whether a host, with or without a port, is this machine by its own name for itself.
func isLocal(host string) bool {
	u := url.URL{Host: host}
	return u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1"
}
