// Package location identifies where agents are. A place is an endpoint in canonical form: address, port and clean path, with
// a single name per machine. It is in the log, since a later reader of the log cannot resolve names as the manager did.
package location

import (
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	"agentleague/protocol"
)

// Of returns the place of an endpoint. addresses are those that its host resolves to; here reports whether an
// address belongs to this machine, all of whose names become localhost. A mailbox is its own place.
func Of(endpoint string, addresses []string, here func(address string) bool) string {
	u, err := url.Parse(endpoint)
	if _, ok := protocol.MailboxID(endpoint); ok || err != nil {
		return endpoint
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	switch {
	case here(host) || slices.ContainsFunc(addresses, here):
		host = "localhost"
	case len(addresses) > 0:
		host = slices.Min(addresses)
	}
	return net.JoinHostPort(host, portOf(u)) + path.Clean("/"+u.Path)
}

// portOf returns the port of an endpoint, the default one if it names none.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// Port returns the address and the port of a place, without its path.
func Port(place string) string {
	if at := strings.IndexByte(place, '/'); at >= 0 {
		return place[:at]
	}
	return place
}

// Machine returns the address of a place. Each mailbox counts as a separate machine.
func Machine(place string) string {
	if _, ok := protocol.MailboxID(place); ok {
		return place
	}
	host, _, err := net.SplitHostPort(Port(place))
	if err != nil {
		return place
	}
	return host
}

// Callable reports whether endpoint is a valid address or mailbox of an agent. It is shown in logs and on terminals, so it must be
// ASCII, with other characters percent-encoded, and contain no user, password or query, which may be secrets.
func Callable(endpoint string) bool {
	if _, ok := protocol.MailboxID(endpoint); ok {
		return true
	}
	u, err := url.Parse(endpoint)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && len(endpoint) <= maxURL &&
		u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(endpoint, "?") &&
		!strings.HasSuffix(endpoint, "#") &&
		!strings.ContainsFunc(endpoint, func(r rune) bool { return r <= ' ' || r > '~' })
}

// NamesUser reports whether an endpoint contains a user name.
func NamesUser(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.User != nil
}

// maxURL is the maximum length of an endpoint in bytes.
const maxURL = 512
