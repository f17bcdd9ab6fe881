package rpc

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A browser calls whatever a page tells it to, also an agent of the machine
// that it runs on. Two rules keep pages of strangers away from ours: a request
// is for a name that the agent goes by, or else somebody's name was made to
// mean this machine; and a page that says where it is from is from this machine
// too, or from the agent's own address.

// Visitors say who may come in by a port. The zero value lets in whoever calls
// this machine by its own name or address.
type Visitors struct {
	Hosts []string // names by which it is called besides those
}

// Let lets h answer those who may come in. Others get 403.
func (v Visitors) Let(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := v.unwelcome(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// unwelcome says why a request that came over a connection is not answered, or "".
func (v Visitors) unwelcome(r *http.Request) string {
	at, served := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !served { // no browser is behind a request that came without one
		return ""
	}
	if !v.goesBy(hostname(r.Host), at) {
		return "this agent does not go by the name in Host; call it localhost, or start it as the host of that name"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if v.trusts(origin, at) {
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

// goesBy reports whether host is a name or an address of this agent, to which
// the connection at this address was made.
func (v Visitors) goesBy(host string, at net.Addr) bool {
	if isLoopback(host) || host == "" { // a browser always names one
		return true
	}
	if tcp, ok := at.(*net.TCPAddr); ok && host == tcp.AddrPort().Addr().Unmap().WithZone("").String() {
		return true
	}
	return slices.ContainsFunc(v.Hosts, func(own string) bool { return strings.EqualFold(strings.Trim(own, "[]"), host) })
}

// trusts reports whether pages of an origin may call: those of this machine, and the agent's own.
func (v Visitors) trusts(origin string, at net.Addr) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && v.goesBy(hostname(u.Host), at)
}

// hostname is a host without its port, and without brackets and a last dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}
