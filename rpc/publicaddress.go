package rpc

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Outsider is the address of a client that comes through the proxy of the public address, followed by the address
// from the proxy's header, if that is credible (see [forwardedFor]): "outside 192.0.2.7". The connection is the
// proxy's, which often runs on this machine: with its address, a client would pass for any local agent that is
// identified by its address. The header's value is used only for rate limits.
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

// comesFromOutside reports whether a host is that of the public address: such requests come through the proxy.
func (n *Node) comesFromOutside(host string) bool {
	return isPublicHost(host, n.outside, n.outsidePort)
}

// isPublicHost reports whether a host is the public one.
func isPublicHost(host, public, port string) bool {
	return public != "" && strings.EqualFold(withoutPort(host, port), public)
}

// publicHost is the host of a public address in requests, and its optional default port. A host that is local to each
// machine is not public.
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
