package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentleague/oauth"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/server/relay"
	"agentleague/web"
)

// mostRelayed is the limit of a relayed request body in bytes. Agents accept less.
const mostRelayed = 8 << 20

// serve answers a request, or relays it to the manager of its league.
func (s *shared) serve(w http.ResponseWriter, r *http.Request) {
	r, via, passed := s.relay.Accept(r)
	if passed {
		s.serveOwn(w, r.WithContext(rpc.WithVia(r.Context(), via)))
		return
	}
	rpc.HostCheck{Hosts: s.env.Net.Names()}.Wrap(http.HandlerFunc(s.route)).ServeHTTP(w, r)
}

// serveOwn answers a request relayed by another manager, for a league that is here or is about to arrive.
func (s *shared) serveOwn(w http.ResponseWriter, r *http.Request) {
	body, r, ok := s.body(w, r)
	if !ok {
		return
	}
	id := s.addressee(r, body)
	for end := time.Now().Add(handOver / 2); ; {
		if _, mine, known := s.member.Owner(id); mine || !known {
			break
		}
		if time.Now().After(end) || !s.pause(r.Context()) {
			relay.NotHere(w)
			return
		}
	}
	s.serveHere(w, meant(r, id))
}

// route serves requests for this manager and its leagues, and relays the others.
func (s *shared) route(w http.ResponseWriter, r *http.Request) {
	body, r, ok := s.body(w, r)
	if !ok {
		return
	}
	id := s.addressee(s.inside(r), body)
	for end := time.Now().Add(handOver); ; {
		address, mine, known := s.member.Owner(id)
		if mine || !known {
			s.serveHere(w, meant(r, id))
			return
		}
		if address != "" {
			err := s.relay.Pass(w, r, body, s.via(r), address)
			if err == nil {
				return
			}
			s.logger.Debug("a request was not passed on yet", "league_id", id, "to", address, "error", err)
		}
		if time.Now().After(end) || !s.pause(r.Context()) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "the league is changing its manager; try again", http.StatusServiceUnavailable)
			return
		}
	}
}

// via returns the address of this manager that a request was sent to, or "" for the public address, which all
// managers know.
func (s *shared) via(r *http.Request) string {
	if u, err := url.Parse(s.public); s.public != "" && err == nil && strings.EqualFold(r.Host, u.Host) {
		return ""
	}
	return s.base
}

// body reads the body of a request, if it has one, and returns a request with the body restored.
func (s *shared) body(w http.ResponseWriter, r *http.Request) ([]byte, *http.Request, bool) {
	if r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet {
		return nil, r, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostRelayed))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
		return nil, r, false
	case err != nil:
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return nil, r, false
	}
	again := r.WithContext(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return body, again, true
}

// addressee returns the league that a request names by its path or body; "" means any manager can answer.
func (s *shared) addressee(r *http.Request, body []byte) string {
	path := r.URL.Path
	for _, at := range []string{"/leagues/", "/api/v1/leagues/", oauth.WellKnown + "/leagues/"} {
		if rest, ok := strings.CutPrefix(path, at); ok {
			id, _, _ := strings.Cut(rest, "/")
			return id
		}
	}
	first := s.env.League.LeagueID
	switch {
	case strings.HasPrefix(path, oauth.WellKnown):
		return first
	case web.Takes(r), path == "/health", path == "/metrics":
		return ""
	case r.Header.Get("Mcp-Session-Id") != "": // the session belongs to the manager that opened it
		return first
	}
	if id, ok := s.named(body); ok {
		return id
	}
	return first
}

// meantKey is the context key of the league that a request is for.
type meantKey struct{}

// meant adds the league of a request to its context.
func meant(r *http.Request, id string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), meantKey{}, id))
}

// serveFirst answers a request without a league in its path: through the first league if it is here, which forwards
// requests for others, and otherwise as the league found by the body.
func (s *shared) serveFirst(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/health":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"agent": protocol.Manager, "status": "healthy", "system_id": s.env.System.SystemID})
		return
	case "/metrics":
		s.figures.ServeHTTP(w, r)
		return
	}
	id := s.env.League.LeagueID
	if _, mine, _ := s.member.Owner(id); !mine {
		id, _ = r.Context().Value(meantKey{}).(string)
	}
	l, done, err := s.hold(r.Context(), id)
	switch {
	case errors.Is(err, errNoLeague):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, "the league cannot be opened yet; try again", http.StatusServiceUnavailable)
	default:
		defer done()
		l.ServeHTTP(w, r)
	}
}

// post answers a request from package gate if its league is open here.
func (s *shared) post(ctx context.Context, r *rpc.Post) (answer []byte, ok bool) {
	id, path := s.env.League.LeagueID, r.Path
	if string(path) != "/mcp" && s.prefix != "" {
		return nil, false
	}
	if rest, named := bytes.CutPrefix(path, []byte("/leagues/")); named {
		part, _, _ := bytes.Cut(rest, []byte("/"))
		id, path = string(part), rest[len(part):]
	} else if named, ok := s.named(r.Body); ok {
		id = named
	}
	if _, mine, _ := s.member.Owner(id); !mine {
		return nil, false
	}
	l, done := s.holdOpen(id)
	if l == nil {
		return nil, false
	}
	defer done()
	r.Path = path
	return l.ServePost(ctx, r)
}
