package league

import (
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A place identifies the location of an agent in canonical form: address, port and clean path, with a single name
// per machine. It is in the log, since a later reader of the log cannot resolve names as the manager did.

// PlaceOf returns the place of an endpoint. addresses are those that its host resolves to; here reports whether an
// address belongs to this machine, all of whose names become localhost. A mailbox is its own place.
func PlaceOf(endpoint string, addresses []string, here func(address string) bool) string {
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

// origin returns scheme, host and port of an address.
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}
