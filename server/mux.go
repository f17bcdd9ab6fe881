package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"agentleague/dialect"
	"agentleague/oauth"
	"agentleague/rpc"
	"agentleague/web"
)

// ServeHTTP routes a request to its league.
func (c *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if serveProbe(c, w, r) || serveFigures(c, w, r) {
		return
	}
	if c.shared != nil {
		c.shared.serve(w, r)
		return
	}
	c.serveHere(w, r)
}

// serveHere routes a request to its league in this process.
func (c *Server) serveHere(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/mcp" { // the most frequent path
		c.serveFirst(w, r)
		return
	}
	r = c.inside(r)
	if strings.HasPrefix(r.URL.Path, oauth.WellKnown) && c.issuer != nil {
		c.serveMetadata(w, r)
		return
	}
	id, ok := leagueOf(r)
	switch {
	case !ok && web.Takes(r):
		defer c.holdForPage(r)()
		c.site.ServeHTTP(w, r)
		return
	case !ok:
		c.serveFirst(w, r)
		return
	}
	l, done, err := c.hold(r.Context(), id)
	switch {
	case errors.Is(err, errNoLeague):
		http.Error(w, fmt.Sprintf("there is no league %.64q here; the page at / lists all leagues", id), http.StatusNotFound)
	case errors.Is(err, errArchived):
		http.Error(w, errArchived.Error(), http.StatusGone)
	case err != nil:
		http.Error(w, fmt.Sprintf("the league %.64q cannot be opened; its manager's log says why", id),
			http.StatusServiceUnavailable)
	default:
		defer done()
		http.StripPrefix("/leagues/"+id, l).ServeHTTP(w, r)
	}
}

// holdForPage keeps a page's league open while the page is read, which may be an event stream.
func (c *Server) holdForPage(r *http.Request) (done func()) {
	rest := strings.TrimPrefix(r.URL.Path, "/api/v1")
	if rest, ok := strings.CutPrefix(rest, "/leagues/"); ok {
		id, what, _ := strings.Cut(rest, "/")
		if what == "archive" {
			return func() {} // the archive action closes the league
		}
		if _, done, err := c.hold(r.Context(), id); err == nil {
			return done
		}
	}
	return func() {} // the page reports the error
}

// serveFirst passes a request to the first league.
func (c *Server) serveFirst(w http.ResponseWriter, r *http.Request) {
	if c.shared != nil {
		c.shared.serveFirst(w, r)
		return
	}
	c.First.ServeHTTP(w, r)
}

// ServePost passes a request to its league if that is open: to the first league for /mcp and for an agent with a path
// on its port, to another league by path. With a prefix in the public address, only /mcp certainly means the same
// with and without it.
func (c *Server) ServePost(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	if c.shared != nil {
		return c.shared.post(ctx, r)
	}
	if string(r.Path) == "/mcp" {
		return c.First.ServePost(ctx, r)
	}
	if c.prefix != "" {
		return nil, false
	}
	rest, named := bytes.CutPrefix(r.Path, []byte("/leagues/"))
	if !named {
		return c.First.ServePost(ctx, r)
	}
	id, _, _ := bytes.Cut(rest, []byte("/"))
	l, done := c.holdOpen(string(id))
	if l == nil {
		return nil, false
	}
	defer done()
	r.Path = rest[len(id):]
	return l.ServePost(ctx, r)
}

// leagueOf returns the league named by the path of a request to its manager or to an agent on its port.
func leagueOf(r *http.Request) (id string, ok bool) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/leagues/")
	if !ok {
		return "", false
	}
	id, rest, ok = strings.Cut(rest, "/")
	first, _, _ := strings.Cut(rest, "/")
	switch first = strings.ToLower(first); {
	case !ok:
		return "", false
	case first == "mcp", first == "health", first == "metrics", first == "p", first == "r", first == "s", first == "k":
		return id, true
	}
	return id, r.Method == http.MethodPost && len(dialect.TypesNamed(rest)) > 0
}
