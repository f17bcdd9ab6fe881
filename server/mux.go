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
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !serveProbe(s, w, r) && !serveFigures(s, w, r) {
		s.front.ServeHTTP(w, r)
	}
}

// serveHere routes a request to its league in this process.
func (s *Server) serveHere(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/mcp" { // the most frequent path
		s.placement.ServeFirst(w, r)
		return
	}
	r = s.Inside(r)
	if q, ok := mailRequestOf(r); ok {
		s.env.HostCheck().Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.mail.serve(w, r, q) })).ServeHTTP(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, oauth.WellKnown) && s.issuer != nil {
		s.serveMetadata(w, r)
		return
	}
	id, ok := leagueOf(r)
	switch {
	case !ok && web.Takes(r):
		defer s.holdForPage(r)()
		s.pages.ServeHTTP(w, r)
		return
	case !ok:
		s.placement.ServeFirst(w, r)
		return
	}
	l, done, err := s.Leagues.Hold(r.Context(), id)
	switch {
	case errors.Is(err, ErrNoLeague):
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

// holdForPage keeps the league of a page open until done is called: the response may be an event stream.
func (s *Server) holdForPage(r *http.Request) (done func()) {
	rest := strings.TrimPrefix(r.URL.Path, "/api/v1")
	if rest, ok := strings.CutPrefix(rest, "/leagues/"); ok {
		id, what, _ := strings.Cut(rest, "/")
		if what == "archive" {
			return func() {} // the archive action closes the league
		}
		if _, done, err := s.Leagues.Hold(r.Context(), id); err == nil {
			return done
		}
	}
	return func() {} // the page reports the error
}

// serveMetadata serves the OAuth metadata of a league's endpoint, which names the authorization server.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, oauth.WellKnown), s.prefix)
	id, ok := leagueAt(path)
	if path == "" || path == "/mcp" {
		id, ok = s.env.League.LeagueID, true
	}
	var l *League
	if ok {
		l, _ = s.Leagues.Visit(id)
	}
	if l == nil || l.resource == nil {
		http.Error(w, "there is no protected resource at this path, or no authorization server for it", http.StatusNotFound)
		return
	}
	l.resource.ServeHTTP(w, r)
}

// leagueAt returns the league whose endpoint has the path; false if the path is not such an endpoint.
func leagueAt(path string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, "/leagues/")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(id, "/mcp")
}

// ServePost implements [rpc.PostHandler] for leagues that are open; ok is false for any other request, which the caller
// then passes to ServeHTTP. If the public address has a path prefix, it serves only /mcp, because proxies may or may
// not strip the prefix of other paths.
func (s *Server) ServePost(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	id, path := "", r.Path
	if string(path) != "/mcp" {
		rest, named := bytes.CutPrefix(path, []byte("/leagues/"))
		part, _, _ := bytes.Cut(rest, []byte("/"))
		if s.prefix != "" || named && len(part) == 0 {
			return nil, false
		}
		if named {
			id, path = string(part), rest[len(part):]
		}
	}
	id, here := s.placement.Addressee(id, r.Body)
	switch {
	case !here:
		return nil, false
	case id == "":
		return s.First.ServePost(ctx, r)
	}
	l, done := s.Leagues.HoldOpen(id)
	if l == nil {
		return nil, false
	}
	defer done()
	if agent, mail := bytes.CutPrefix(path, []byte("/agents/")); mail {
		agent, mail = bytes.CutSuffix(agent, []byte("/mcp"))
		if !mail {
			return nil, false
		}
		return s.mail.servePost(ctx, r, l, string(agent))
	}
	r.Path = path
	return l.ServePost(ctx, r)
}

// leagueOf returns the league in the path of a request to its manager or to an agent on its port.
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
