package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentleague/cluster"
	"agentleague/cluster/relay"
	"agentleague/host"
	"agentleague/oauth"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/server"
	"agentleague/web"
)

// mostRelayed limits the body of a relayed request, in bytes. Agents accept less.
const mostRelayed = 8 << 20

// handoverTimeout limits how long a request waits for a league that is changing its owner. handoverPoll is the polling
// interval.
const (
	handoverTimeout = 8 * time.Second
	handoverPoll    = 50 * time.Millisecond
)

// A front routes the requests of a manager: to its own leagues, or through the relay to the manager of their league.
type front struct {
	member *cluster.Member
	env    *host.Env
	server *server.Server
	here   http.Handler // answers requests for leagues of this manager
	relay  *relay.Relay
	logger *slog.Logger
}

// Route returns a handler that answers a request, or relays it to the manager of its league.
func (f *front) Route(here http.Handler) http.Handler {
	f.here = here
	direct := f.env.HostCheck().Wrap(http.HandlerFunc(f.route))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, via, passed := f.relay.Accept(r)
		if passed {
			f.serveOwn(w, r.WithContext(rpc.WithVia(r.Context(), via)))
			return
		}
		direct.ServeHTTP(w, r)
	})
}

// serveOwn answers a request relayed by another manager, for a league that is here or is about to arrive.
func (f *front) serveOwn(w http.ResponseWriter, r *http.Request) {
	body, r, ok := f.body(w, r)
	if !ok {
		return
	}
	id := f.addressee(r, body)
	if here, _ := f.atOwner(r.Context(), id, handoverTimeout/2, nil); !here {
		relay.NotHere(w)
		return
	}
	f.here.ServeHTTP(w, meant(r, id))
}

// route serves requests for this manager and its leagues, and relays the others.
func (f *front) route(w http.ResponseWriter, r *http.Request) {
	body, r, ok := f.body(w, r)
	if !ok {
		return
	}
	id := f.addressee(f.server.Inside(r), body)
	here, passed := f.atOwner(r.Context(), id, handoverTimeout, func(address string) error {
		ctx, stop := f.whileMember(r.Context(), address)
		defer stop()
		return f.relay.Pass(w, r.WithContext(ctx), body, f.via(r), address)
	})
	switch {
	case here:
		f.here.ServeHTTP(w, meant(r, id))
	case !passed:
		why := "the league is changing its manager; try again"
		if f.member.Healthy() != nil {
			why = "this manager does not reach the engine, and another one may have the league; ask another manager, or try again"
		}
		w.Header().Set("Retry-After", "1")
		http.Error(w, why, http.StatusServiceUnavailable)
	}
}

// atOwner waits until this manager may answer for the league, or until pass succeeds with the address of the owner. A
// manager whose lease has expired may not: the league may have changed at another one. With a nil pass it only waits. A league that the cluster does not have counts as here. Both results are false after the limit or
// after ctx has ended.
func (f *front) atOwner(ctx context.Context, id string, limit time.Duration, pass func(address string) error) (here, passed bool) {
	for end := time.Now().Add(limit); ; {
		address, mine, known := f.member.Owner(id)
		if !known || mine && f.member.Serves(id) {
			return true, false
		}
		if !mine && address != "" && pass != nil {
			err := pass(address)
			if err == nil {
				return false, true
			}
			f.logger.Debug("a request was not passed on yet", "league_id", id, "to", address, "error", err)
		}
		if time.Now().After(end) {
			return false, false
		}
		select {
		case <-f.member.Changed():
		case <-time.After(handoverPoll):
		case <-ctx.Done():
			return false, false
		}
	}
}

// whileMember returns a context that ends when the manager at an address leaves the cluster, such as one that was
// suspended: it would answer only when it continues. stop must be called.
func (f *front) whileMember(ctx context.Context, address string) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			changed := f.member.Changed()
			if !f.member.Has(address) {
				cancel(relay.ErrGone)
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Others implements [server.Placement]. A public address leads to all managers, and their own ones may lead nowhere.
func (f *front) Others() (out []string) {
	for _, name := range f.member.Members() {
		if name != f.member.Name() && f.env.Net.Public == "" {
			out = append(out, f.member.Address(name))
		}
	}
	return out
}

// via returns the address of this manager that a request was sent to, or "" for the public address, which all
// managers know.
func (f *front) via(r *http.Request) string {
	public := f.env.Net.Public
	if u, err := url.Parse(public); public != "" && err == nil && strings.EqualFold(r.Host, u.Host) {
		return ""
	}
	return f.server.Address()
}

// body reads the body of a request and returns the body and a request that has it again. If ok is false, it has
// answered the request with an error.
func (f *front) body(w http.ResponseWriter, r *http.Request) ([]byte, *http.Request, bool) {
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
func (f *front) addressee(r *http.Request, body []byte) string {
	path := r.URL.Path
	for _, at := range []string{"/leagues/", "/api/v1/leagues/", oauth.WellKnown + "/leagues/"} {
		if rest, ok := strings.CutPrefix(path, at); ok {
			id, _, _ := strings.Cut(rest, "/")
			return id
		}
	}
	first := f.env.League.LeagueID
	switch {
	case strings.HasPrefix(path, oauth.WellKnown):
		return first
	case web.Takes(r), path == "/health", path == "/metrics":
		return ""
	case r.Header.Get("Mcp-Session-Id") != "": // the session belongs to the manager that opened it
		return first
	}
	if id, ok := f.named(body); ok {
		return id
	}
	return first
}

// named returns the league of the cluster that a message names. It searches the JSON for the first such member; the
// manager that receives the request parses it completely and forwards it if needed.
func (f *front) named(body []byte) (id string, ok bool) {
	for _, key := range []string{`"league_id"`, `"leagueId"`} {
		_, rest, there := bytes.Cut(body, []byte(key))
		if !there {
			continue
		}
		rest, there = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
		if !there || json.NewDecoder(bytes.NewReader(rest)).Decode(&id) != nil {
			continue
		}
		if _, _, known := f.member.Owner(id); known {
			return id, true
		}
	}
	return "", false
}

// meantKey is the context key of the league that a request is for.
type meantKey struct{}

// meant adds the league of a request to its context.
func meant(r *http.Request, id string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), meantKey{}, id))
}

// ServeFirst answers a request without a league in its path: through the first league if it is here, which forwards
// requests for others, and otherwise as the league found by the body.
func (f *front) ServeFirst(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/health":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"agent": protocol.Manager, "status": "healthy", "system_id": f.env.System.SystemID})
		return
	case "/metrics":
		f.env.Net.Figures.ServeHTTP(w, r)
		return
	}
	id := f.env.League.LeagueID
	if _, mine, _ := f.member.Owner(id); !mine {
		id, _ = r.Context().Value(meantKey{}).(string)
	}
	l, done, err := f.server.Leagues.Hold(r.Context(), id)
	switch {
	case errors.Is(err, server.ErrNoLeague):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, "the league cannot be opened yet; try again", http.StatusServiceUnavailable)
	default:
		defer done()
		l.ServeHTTP(w, r)
	}
}

// Addressee returns the league in the path of a request, in its body, or the first, and whether it is here.
func (f *front) Addressee(id string, body []byte) (to string, here bool) {
	if id == "" {
		id = f.env.League.LeagueID
		if named, ok := f.named(body); ok {
			id = named
		}
	}
	_, here, _ = f.member.Owner(id)
	return id, here
}
