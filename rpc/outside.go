package rpc

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Outsider is the address of who comes through the proxy of the public address, with the address after it that the
// proxy tells, where it can be believed (see [forwardedFor]): "outside 192.0.2.7". The connection is the proxy's, which
// often runs on this machine: taken for its own, a stranger would pass for any agent here that is known by its address.
// What a proxy tells counts for nothing but limits.
const Outsider = "outside"

// ClientKey returns the key by which limits count the client of a request to a server with a public address, which may
// be "". Like [AddressKey], it counts a network of IPv6 addresses as one.
func ClientKey(public string, r *http.Request) string {
	host, port := publicHost(public)
	return limiterKey(addrOf(r, host, port))
}

// addrOf is where a request comes from: the address of its connection, or [Outsider].
func (n *Node) addrOf(r *http.Request) string { return addrOf(r, n.outside, n.outsidePort) }

// addrOf is where a request to a server with a public host, and the port that may be left out, comes from.
func addrOf(r *http.Request, public, port string) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if !isPublicHost(r.Host, public, port) {
		return host
	}
	if who := forwardedFor(host, r.Header); who != "" {
		return Outsider + " " + who
	}
	return Outsider
}

// comesFromOutside reports whether a host is that of the public address: what names it comes through the proxy.
func (n *Node) comesFromOutside(host string) bool {
	return isPublicHost(host, n.outside, n.outsidePort)
}

// isPublicHost reports whether a host is the public one.
func isPublicHost(host, public, port string) bool {
	return public != "" && strings.EqualFold(withoutPort(host, port), public)
}

// publicHost is the host of a public address as requests name it, and the port that they may leave out. A host that
// each machine has for itself is nobody's public one.
func publicHost(public string) (host, port string) {
	u, err := url.Parse(public)
	if err != nil || public == "" || isLoopback(u.Hostname()) {
		return "", ""
	}
	port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return withoutPort(u.Host, port), port
}

// withoutPort is a host without a port that is the usual one.
func withoutPort(host, usual string) string { return strings.TrimSuffix(host, ":"+usual) }
