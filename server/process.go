package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"agentleague/engine/engines"
	"agentleague/host"
	"agentleague/oauth"
)

// A process holds the immutable properties of a server's process that its parts share.
type process struct {
	env    *host.Env // of the first league, whichever manager runs it
	life   context.Context
	logger *slog.Logger   // for events that concern no single league
	disk   engines.Engine // the server closes it
	base   string         // the server's address, without a path
	public string         // the address for external clients; "": the same
	prefix string         // the path of that
	issuer *oauth.Issuer  // the issuer of tokens that count as the admin's; nil: none

	background sync.WaitGroup // tasks that end with the server
}

// Address returns the address of the server, without a path.
func (p *process) Address() string { return p.base }

// outside returns the public URL for an endpoint of the server, or "" if no public address is configured.
func (p *process) outside(endpoint string) string {
	if p.public == "" {
		return ""
	}
	return p.public + strings.TrimPrefix(endpoint, p.base)
}

// reachedAt returns the address of a manager for clients: the public one if it is configured.
func (p *process) reachedAt(endpoint string) string { return cmp.Or(p.outside(endpoint), endpoint) }

// endpoint returns the address of a league other than the first.
func (p *process) endpoint(id string) string { return p.base + "/leagues/" + id + "/mcp" }

// Inside returns a request without the path prefix of the public address, which some proxies strip and others do not.
func (p *process) Inside(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, p.prefix)
	if p.prefix == "" || !ok || rest != "" && rest[0] != '/' {
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
