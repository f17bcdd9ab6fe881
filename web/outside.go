package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A site behind a proxy may have a path there, such as /spring. Handlers do not see it: it is prepended to the links
// of the templates and the addresses of redirects. Clients without the proxy can follow such links too, since the
// server strips the path again.

// A front is the public URL of a site: https://example.org/spring, or "".
type front string

// prefix returns the path of the site's public URL, or "".
func (f front) prefix() string {
	u, err := url.Parse(string(f))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// origin returns the site's public URL without its path, or "".
func (f front) origin() string { return strings.TrimSuffix(string(f), f.prefix()) }

// redirect redirects a browser to a path of this site.
func (f front) redirect(w http.ResponseWriter, r *http.Request, to string, status int) {
	http.Redirect(w, r, f.prefix()+to, status)
}

// encrypted reports whether the browser uses TLS: to this process, or to the proxy in front of it. It ignores the
// headers of proxies.
func (f front) encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(f.origin(), "https://"+r.Host)
}

// addressOf returns the address of a league's page for other clients: at the public address of the site, or else at
// the host of this request, or if only this machine can use that host, at the manager's address for agents.
func addressOf(r *http.Request, public, endpoint, id string) string {
	if public != "" {
		return public + "/leagues/" + id
	}
	u := url.URL{Scheme: "http", Host: r.Host, Path: "/leagues/" + id}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	if told, err := url.Parse(endpoint); err == nil && told.Host != "" && onlyHere(r.Host) {
		u.Scheme, u.Host = told.Scheme, told.Host
	}
	return u.String()
}

// onlyHere reports whether a host, with or without a port, is a loopback name or address.
func onlyHere(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
