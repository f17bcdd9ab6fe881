package rpc

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A web page can make a browser send requests to any address, including an agent on the browser's machine. Two rules
// protect agents. The host of a request must be a name or an address of the agent; otherwise an attacker may have
// pointed another name at this machine (DNS rebinding). And the Origin, if present, must be this machine or the agent's
// own address.

// A HostCheck refuses requests that a third-party page made a browser send. The zero
// value accepts requests that address this machine by its own name or address.
type HostCheck struct {
	Hosts []string // more names and addresses by which the agent is called

	// Scrapers are the networks that may read metrics, under any host name; besides these, only direct requests from
	// this machine to a loopback name may. If empty, any client that uses a name of the agent may.
	Scrapers []netip.Prefix
}

// Wrap returns a handler that passes accepted requests to h and answers others with status 403.
func (c HostCheck) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := c.refusal(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refusal returns why a request is refused, or "".
func (c HostCheck) refusal(r *http.Request) string {
	at, served := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !served { // no browser is behind a request that came without one
		return ""
	}
	if len(c.Scrapers) > 0 && isMetrics(r.URL.Path) {
		from, _ := hopAddress(r.RemoteAddr)
		forwarded := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
		switch {
		case slices.ContainsFunc(c.Scrapers, func(p netip.Prefix) bool { return p.Contains(from) }):
			return ""
		case !from.IsLoopback(), forwarded, !isLoopback(hostname(r.Host)):
			// A request through a proxy on this machine can come from anywhere.
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

// isMetrics reports whether a path serves metrics: of the first agent, of all agents, or of an agent with a path.
func isMetrics(path string) bool {
	ofAgent := strings.Count(path, "/") > 2 && strings.HasSuffix(path, "/metrics")
	return path == "/metrics" || path == "/metrics/leagues" || ofAgent
}

// goesBy reports whether the Host header host is a name or an address of this agent. at is the connection's local
// address.
func (c HostCheck) goesBy(host string, at net.Addr) bool {
	if isLoopback(host) || host == "" { // a browser always names one
		return true
	}
	if tcp, ok := at.(*net.TCPAddr); ok && host == tcp.AddrPort().Addr().Unmap().WithZone("").String() {
		return true
	}
	return slices.ContainsFunc(c.Hosts, func(own string) bool { return strings.EqualFold(strings.Trim(own, "[]"), host) })
}

// trusts reports whether an origin is accepted: this machine, or the agent's own address.
func (c HostCheck) trusts(origin string, at net.Addr) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && c.goesBy(hostname(u.Host), at)
}

// hostname returns a host without port, brackets and trailing dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

// isLoopback reports whether a host is localhost or a loopback address. Other names are not resolved.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// IsHere reports whether an address belongs to this machine.
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
