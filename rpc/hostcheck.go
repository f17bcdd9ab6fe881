package rpc

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A browser calls any address that a page requests, including an agent on the browser's machine. Two rules keep
// third-party pages away from our agents. The host of a request must be a name or an address of the agent, otherwise
// another name was pointed at this machine (DNS rebinding). And if the browser names the page of the request, that
// page must come from this machine or from the agent's own address.

// A HostCheck refuses requests that a foreign page made a browser send. The zero
// value accepts requests that call this machine by its own name or address.
type HostCheck struct {
	Hosts []string // more names and addresses by which the agent is called

	// Scrapers are the networks that may read metrics, whatever name they call; besides them only this machine may.
	// Empty: any address may, under a name of the agent.
	Scrapers []netip.Prefix
}

// Wrap lets h answer the requests that pass. Others get 403.
func (c HostCheck) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := c.refusal(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refusal explains why a request over a connection is refused, or returns "".
func (c HostCheck) refusal(r *http.Request) string {
	at, served := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !served { // no browser is behind a request that came without one
		return ""
	}
	if len(c.Scrapers) > 0 && isMetrics(r.URL.Path) {
		from := peer(r)
		switch {
		case slices.ContainsFunc(c.Scrapers, func(p netip.Prefix) bool { return p.Contains(from) }):
			return ""
		case !from.IsLoopback():
			return "only the networks in security.metrics_allow of system.json may read metrics"
		}
	}
	if !c.goesBy(hostname(r.Host), at) {
		return "this agent does not go by the name in Host; call it localhost, or start it as the host of that name"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if c.trusts(origin, at) {
			return ""
		}
		return "pages of another origin may not call this agent"
	}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && !safe {
		return "pages of another site may not call this agent"
	}
	return ""
}

// isMetrics reports whether a path is that of metrics: of the first agent, of all agents, or of an agent with a path.
func isMetrics(path string) bool {
	return path == "/metrics" || path == "/metrics/leagues" || strings.Count(path, "/") > 2 && strings.HasSuffix(path, "/metrics")
}

// peer is the address that a request came from.
func peer(r *http.Request) netip.Addr {
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	return from.Addr().Unmap().WithZone("")
}

// goesBy reports whether host is a name or an address of this agent, to which
// the connection at this address was made.
func (c HostCheck) goesBy(host string, at net.Addr) bool {
	if isLoopback(host) || host == "" { // a browser always names one
		return true
	}
	if tcp, ok := at.(*net.TCPAddr); ok && host == tcp.AddrPort().Addr().Unmap().WithZone("").String() {
		return true
	}
	return slices.ContainsFunc(c.Hosts, func(own string) bool { return strings.EqualFold(strings.Trim(own, "[]"), host) })
}

// trusts reports whether pages of an origin may call: those of this machine, and the agent's own.
func (c HostCheck) trusts(origin string, at net.Addr) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && c.goesBy(hostname(u.Host), at)
}

// hostname is a host without its port, and without brackets and a last dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

// isLoopback reports whether a host is this machine by its name or address. Names are not resolved.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// IsHere reports whether an address is one of this machine.
func IsHere(addr string) bool {
	ip := net.ParseIP(addr)
	if addr == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return true
	}
	own, _ := net.InterfaceAddrs() // without them only loopback is known to be local
	return ip != nil && slices.ContainsFunc(own, func(o net.Addr) bool {
		n, ok := o.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}
