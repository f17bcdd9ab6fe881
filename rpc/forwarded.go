package rpc

import (
	"net/http"
	"net/netip"
	"strings"
)

// Behind a proxy all connections come from the proxy. So that one client cannot use up the rate limit of all, clients
// are counted by the address in the proxy's header. Any client can send such a header, so only the part that a trusted
// proxy has written counts: the last address that is not itself a trusted proxy.
//
//	X-Forwarded-For: 10.9.9.9, 192.0.2.7, 127.0.0.1
//	                 └ unverified      │      └ a trusted proxy, which wrote the address before it
//	                                   └ the caller of that proxy: this one is counted

// mostHops is the maximum number of proxies that a request may have passed.
const mostHops = 8

// forwardedFor returns the client's address from a proxy's headers. It returns "" if the proxy is not trusted or the
// headers are not credible: if both Forwarded and X-Forwarded-For are present they must agree, since a proxy writes
// only one and passes on the other.
func forwardedFor(proxy string, h http.Header) string {
	if at, ok := hopAddress(proxy); !ok || !trustsProxy(at) {
		return ""
	}
	plain, old := lastUntrusted(hops(h.Values("X-Forwarded-For")))
	standard, new := lastUntrusted(standardHops(h.Values("Forwarded")))
	switch {
	case old && new && plain != standard:
		return ""
	case old:
		return plain
	}
	return standard
}

// trustsProxy reports whether an address is that of a trusted proxy: one on this machine.
func trustsProxy(addr netip.Addr) bool { return addr.IsLoopback() }

// lastUntrusted returns the last address of a header that does not belong to a trusted proxy. It returns "" if there is
// none, or if a later entry is not an address. present reports whether the header has any entry.
func lastUntrusted(hops []string) (addr string, present bool) {
	for i := len(hops) - 1; i >= max(0, len(hops)-mostHops); i-- {
		a, ok := hopAddress(hops[i])
		switch {
		case !ok:
			return "", true
		case !trustsProxy(a):
			return a.String(), true
		}
	}
	return "", len(hops) > 0
}

// hopAddress parses an address in a header: 192.0.2.7, 192.0.2.7:4711, [2001:db8::7]:4711 or 2001:db8::7.
func hopAddress(text string) (netip.Addr, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return a.Unmap().WithZone(""), err == nil
}

// hops returns the addresses in X-Forwarded-For, the nearest proxy last.
func hops(lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, strings.Split(line, ",")...)
	}
	return out
}

// standardHops returns the addresses in Forwarded (RFC 7239): for=192.0.2.7;proto=https, for="[2001:db8::7]:4711".
func standardHops(lines []string) (out []string) {
	for _, hop := range hops(lines) {
		addr := ""
		for pair := range strings.SplitSeq(hop, ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && strings.EqualFold(name, "for") {
				addr = value
			}
		}
		out = append(out, addr)
	}
	return out
}
