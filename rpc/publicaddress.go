package rpc

import (
	"net"
	"net/http"
	"net/netip"
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
	return AddressKey(publicHostOf(public).addrOf(r))
}

// AddressKey returns the key by which limits count an address. An IPv6 network of 64 bits is one key: a client can use
// any address of it.
func AddressKey(addr string) string {
	if !strings.Contains(addr, ":") {
		return addr
	}
	if told, ok := strings.CutPrefix(addr, Outsider+" "); ok {
		return Outsider + " " + AddressKey(told)
	}
	a, err := netip.ParseAddr(addr)
	switch {
	case err != nil:
		return addr
	case a.Is4In6():
		return a.Unmap().String()
	}
	p, _ := a.WithZone("").Prefix(64)
	return p.Addr().String()
}

// isOutside reports whether an address is that of an outsider that a proxy distinguishes from others.
func isOutside(addr string) bool { return strings.HasPrefix(addr, Outsider+" ") }

// A publicHost is the host of a server's public address, and the port that requests may omit. The zero value matches
// no request.
type publicHost struct{ host, port string }

// publicHostOf returns the host of a public address. A host that is local to each machine is not public.
func publicHostOf(public string) publicHost {
	u, err := url.Parse(public)
	if err != nil || public == "" || isLoopback(u.Hostname()) {
		return publicHost{}
	}
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return publicHost{strings.TrimSuffix(u.Host, port), port}
}

// addrOf returns where a request comes from: the address of its connection, or [Outsider].
func (p publicHost) addrOf(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if !p.is(r.Host) {
		return host
	}
	if who := forwardedFor(host, r.Header); who != "" {
		return Outsider + " " + who
	}
	return Outsider
}

// is reports whether the host of a request is the public one: such requests come through the proxy.
func (p publicHost) is(host string) bool {
	return p.host != "" && strings.EqualFold(strings.TrimSuffix(host, p.port), p.host)
}
