package manager

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A manager behind a proxy or a tunnel has two addresses. Agents in its network use the listen address, others the
// public address. Each agent receives the address that it used to register, since it may be unable to reach the other.

// outside returns the manager's public address, or without one its listen address.
func (c *core) outside() string { return cmp.Or(c.opts.PublicEndpoint, c.opts.Endpoint) }

// addresses returns the addresses of the manager, first the one that the agent at an endpoint is more likely to reach.
func (c *core) addresses(endpoint string) []string {
	switch {
	case c.opts.PublicEndpoint == "":
		return []string{c.opts.Endpoint}
	case authority(endpoint) == authority(c.opts.Endpoint) || isLocal(authority(endpoint)):
		return []string{c.opts.Endpoint, c.opts.PublicEndpoint}
	}
	return []string{c.opts.PublicEndpoint, c.opts.Endpoint}
}

// asked returns the addresses of the manager for an agent that registers, first the one that the agent called. If
// another manager of the cluster forwarded the registration, that is the other manager's address.
func (c *core) asked(ctx context.Context, endpoint string) []string {
	out := c.addresses(endpoint)
	via := rpc.Via(ctx)
	if u, err := url.Parse(c.opts.Endpoint); via != "" && err == nil {
		return append([]string{via + u.Path}, out...)
	}
	return out
}

// addressFor returns the manager's address for an agent. A native agent's registration contains the address that the
// agent used.
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

// isRelay reports whether an endpoint is an address of this manager, under any host name, at which the manager relays
// messages or keeps mailboxes. Addresses below /s/, which belong to seats, do not count.
func (c *core) isRelay(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || !c.isOwnName(u) {
		return false
	}
	path := strings.TrimPrefix(u.Path, pathOf(c.opts.PublicEndpoint))
	if rest, ok := strings.CutPrefix(path, "/leagues/"); ok {
		if _, below, ok := strings.Cut(rest, "/"); ok {
			path = "/" + below
		}
	}
	for _, own := range []string{"/agents/", "/k/", "/mailboxes/"} {
		if strings.HasPrefix(path, own) {
			return true
		}
	}
	return strings.HasPrefix(path, "/s/") && authority(endpoint) == authority(c.opts.PublicEndpoint) &&
		authority(endpoint) != authority(c.opts.Endpoint)
}

// isOwnName reports whether an address has a name and port of this manager.
func (c *core) isOwnName(u *url.URL) bool {
	if strings.EqualFold(u.Host, authority(c.opts.PublicEndpoint)) && u.Host != "" {
		return true
	}
	own, err := url.Parse(c.opts.Endpoint)
	if err != nil || own.Port() != u.Port() {
		return false
	}
	here := func(host string) bool {
		return rpc.IsHere(host) || slices.ContainsFunc(c.Node.Network.Addresses(c.ctx, "http://"+net.JoinHostPort(host, "80")), rpc.IsHere)
	}
	return strings.EqualFold(own.Hostname(), u.Hostname()) || here(u.Hostname())
}

// pathOf returns the path of a public endpoint that comes before those of the manager, such as /spring.
func pathOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	path, _, _ := strings.Cut(u.Path, "/leagues/")
	return strings.TrimSuffix(path, "/mcp")
}

// reach returns the URL at which other agents reach agent id: its endpoint or, for an agent with a mailbox, a relay
// path below the given address of the manager.
func (c *core) reach(id, endpoint, manager string) string {
	if _, ok := protocol.MailboxID(endpoint); !ok {
		return endpoint
	}
	return protocol.RelayAddress(baseOf(manager), c.opts.LeagueID, id)
}

// baseOf returns the address of a manager without the path of its league and endpoint.
func baseOf(manager string) string {
	base, _, _ := strings.Cut(manager, "/leagues/")
	return strings.TrimSuffix(base, "/mcp")
}

// authority returns the host of an address, with its port if it names one.
func authority(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Host)
}

// isLocal reports whether a host, with or without a port, is localhost or a loopback address.
func isLocal(host string) bool {
	u := url.URL{Host: host}
	return u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1"
}
