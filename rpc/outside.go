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

// addrOf is where a request comes from: the address of its connection, or [Outsider].
func (n *Node) addrOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if !n.comesFromOutside(r.Host) {
		return host
	}
	if who := forwardedFor(host, r.Header); who != "" {
		return Outsider + " " + who
	}
	return Outsider
}

// comesFromOutside reports whether a host is that of the public address: what names it comes through the proxy.
func (n *Node) comesFromOutside(host string) bool {
	return n.outside != "" && strings.EqualFold(withoutPort(host, n.outsidePort), n.outside)
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
