package rpc

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Outsider is the prefix of the caller address of clients that come through the proxy of the public address. The
// address from the proxy's header follows, if it is credible (see [forwardedFor]): "outside 192.0.2.7". The
// connection's address is not used, since the proxy often runs on this machine and a client would pass for a local
// agent. The header's address is used only for rate limits.
const Outsider = "outside"

// ClientKey returns the key that identifies the client of a request for rate limits. public is the server's public
// address, which may be "". Like [AddressKey], it treats an IPv6 /64 network as one client.
func ClientKey(public string, r *http.Request) string {
	return AddressKey(publicHostOf(public).addrOf(r))
}

// AddressKey returns the key that identifies an address for rate limits. All addresses of an IPv6 /64 network have one
// key, since a client can use any of them.
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

// isOutside reports whether an address is an outsider's with a credible address from the proxy's header.
func isOutside(addr string) bool { return strings.HasPrefix(addr, Outsider+" ") }

// A publicHost is the host and default port of a server's public address. The zero value matches no request.
type publicHost struct{ host, port string }

// publicHostOf returns the host of a public address. It returns the zero value for localhost and loopback addresses.
func publicHostOf(public string) publicHost {
	u, err := url.Parse(public)
	if err != nil || public == "" || isLoopback(u.Hostname()) {
		return publicHost{}
	}
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return publicHost{strings.TrimSuffix(u.Host, port), port}
}

// addrOf returns the address of a request's connection, or that of an [Outsider].
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

// is reports whether host, of a request, is the public one, so that the request came through the proxy.
func (p publicHost) is(host string) bool {
	return p.host != "" && strings.EqualFold(strings.TrimSuffix(host, p.port), p.host)
}
