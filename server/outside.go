package server

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// Endpoint returns the address of the first league: the public one, if there is one.
func (c *Server) Endpoint() string { return cmp.Or(c.outside(c.At.URL), c.At.URL) }

// outside returns the public form of an address of the server; "": none.
func (c *Server) outside(endpoint string) string {
	if c.public == "" {
		return ""
	}
	return c.public + strings.TrimPrefix(endpoint, c.base)
}

// inside strips the path of the public address from a request: some proxies pass it on and some do not.
func (c *Server) inside(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, c.prefix)
	if c.prefix == "" || !ok || rest != "" && rest[0] != '/' {
		return r
	}
	u := *r.URL
	u.Path, u.RawPath = "/"+strings.TrimPrefix(rest, "/"), ""
	r = r.WithContext(r.Context())
	r.URL = &u
	return r
}

// prefixOf returns the path of a public address, such as /spring, or "".
func prefixOf(public string) string {
	u, err := url.Parse(public)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}
