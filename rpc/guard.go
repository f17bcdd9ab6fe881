package rpc

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"syscall"

	"agentleague/protocol"
)

// A Guard defines which addresses may be called. The zero value allows only this machine. The resolved address is
// checked when a connection is made, so that DNS rebinding cannot bypass the check.
type Guard struct {
	Allow []netip.Prefix                    // networks besides loopback, as [ParseNetwork] reads them
	Named string                            // an endpoint that the operator entered: its host and port may be called
	Hint  func(network netip.Prefix) string // returns advice on allowing an address; may be nil
}

// Anywhere is the guard for an address that the operator entered: everything is allowed except the forbidden networks.
var Anywhere = Guard{Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}

// NotAllowed is the error of a [Guard] for an address that must not be called.
type NotAllowed struct {
	Addr netip.Addr
	Why  string // a sentence, with advice
}

func (e *NotAllowed) Error() string { return e.Why }

// never lists the networks that no guard allows: they contain no agents, but may contain services that reveal a
// machine's secrets.
var never = []struct {
	network netip.Prefix
	what    string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "no address of a machine"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local, where clouds keep their metadata"},
	{netip.MustParsePrefix("100.100.100.200/32"), "a metadata service of a cloud"},
	{netip.MustParsePrefix("168.63.129.16/32"), "a metadata service of a cloud"},
	{netip.MustParsePrefix("192.0.0.192/32"), "a metadata service of a cloud"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast"},
	{netip.MustParsePrefix("::/128"), "no address of a machine"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
	{netip.MustParsePrefix("fd00:ec2::/32"), "a metadata service of a cloud"},
	{netip.MustParsePrefix("fd20:ce::254/128"), "a metadata service of a cloud"},
}

// carriers are the IPv6 networks whose addresses embed an IPv4 address, with its position: a router may extract it and
// connect to it.
var carriers = []struct {
	network netip.Prefix
	bytes   [4]int
	flipped byte
}{
	{netip.MustParsePrefix("::/96"), [4]int{12, 13, 14, 15}, 0},           // IPv4-compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), [4]int{12, 13, 14, 15}, 0}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), [4]int{12, 13, 14, 15}, 0},    // NAT64
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{12, 13, 14, 15}, 0},  // NAT64 of one's own
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{6, 7, 9, 10}, 0},     // the same, by its other form
	{netip.MustParsePrefix("2002::/16"), [4]int{2, 3, 4, 5}, 0},           // 6to4
	{netip.MustParsePrefix("2001::/32"), [4]int{12, 13, 14, 15}, 0xff},    // Teredo
	{netip.MustParsePrefix("2001::/32"), [4]int{4, 5, 6, 7}, 0},           // its server
}

// Check returns a [NotAllowed] error if an address must not be called.
func (g Guard) Check(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return &NotAllowed{a, "only an address can be called"}
	}
	if a.IsLoopback() {
		return nil
	}
	if what := neverCalled(a); what != "" {
		return &NotAllowed{a, fmt.Sprintf("%s is never called, whatever is allowed: it is %s", a, what)}
	}
	if slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return nil
	}
	why := fmt.Sprintf("%s is not this machine and may not be called", a)
	if g.Hint != nil {
		why += "; " + g.Hint(netip.PrefixFrom(a, a.BitLen()))
	}
	return &NotAllowed{a, why}
}

// dialed returns the guard for connections to a host and port: [Anywhere] if g names that endpoint, otherwise g.
func (g Guard) dialed(address string) Guard {
	if u, err := parseEndpoint(g.Named); err == nil && address == hostPort(u) {
		return Anywhere
	}
	return g
}

// hostPort returns the host and port of an endpoint.
func hostPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port == "" && u.Scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// neverCalled returns the reason for which an address is always forbidden, or "".
func neverCalled(a netip.Addr) string {
	for _, n := range never {
		if n.network.Contains(a) {
			return n.what
		}
	}
	for _, c := range carriers {
		if c.network.Contains(a) {
			b := a.As16()
			var inner [4]byte
			for i, at := range c.bytes {
				inner[i] = b[at] ^ c.flipped
			}
			if what := neverCalled(netip.AddrFrom4(inner)); what != "" {
				return "another form of " + netip.AddrFrom4(inner).String() + ", " + what
			}
		}
	}
	return ""
}

// CheckEndpoint returns an error if an endpoint is invalid, has a forbidden literal address, or contains a user name. A
// host name is resolved and checked only when it is called.
func (g Guard) CheckEndpoint(endpoint string) error {
	if _, ok := protocol.MailboxID(endpoint); ok { // the agent opens the connection
		return nil
	}
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return err
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return g.dialed(hostPort(u)).Check(a)
	}
	return nil
}

// control implements [net.Dialer].Control: it checks an address before each connection.
func (g Guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &NotAllowed{Why: fmt.Sprintf("want an address and a port, got %q", address)}
	}
	return g.Check(at.Addr())
}

// errUser is the error for an endpoint with a user name, which would be sent as credentials.
var errUser = &NotAllowed{Why: "an endpoint has no user name in it"}

// errNoEndpoint is the error for an invalid address.
var errNoEndpoint = errors.New("an endpoint is an address such as http://localhost:8101/mcp")

// parseEndpoint reads the endpoint of an agent.
func parseEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return nil, errNoEndpoint
	case u.User != nil:
		return nil, errUser
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, errNoEndpoint
	}
	return u, nil
}

// ParseNetwork parses a network that may be called: 192.168.1.0/24, or a single
// address. A network in which every address is forbidden is an error.
func ParseNetwork(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if a, single := netip.ParseAddr(text); single == nil {
		p, err = netip.PrefixFrom(a.WithZone(""), a.BitLen()), nil
	}
	if err != nil {
		return p, fmt.Errorf("want a network such as 192.168.1.0/24, got %q", text)
	}
	if p.Addr().Is4In6() {
		if p.Bits() < 96 {
			return p, fmt.Errorf("want IPv4 networks as such, for example 192.168.1.0/24, got %q", text)
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	p = p.Masked()
	for _, n := range never {
		if n.network.Bits() <= p.Bits() && n.network.Contains(p.Addr()) {
			return p, fmt.Errorf("%s is never called: it is %s", p, n.what)
		}
	}
	return p, nil
}
