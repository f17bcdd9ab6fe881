package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"agentleague/league/view"
)

// New returns the site. It serves /, /login, /leagues/…, /api/v1/… and /assets/….
func New(o Options) http.Handler {
	if o.Go == nil {
		o.Go = func(f func(context.Context)) { go f(context.Background()) }
	}
	if o.Title == nil {
		o.Title = func(league string) string { return league }
	}
	if o.Game == nil {
		o.Game = func(gameType string) string { return gameType }
	}
	if o.Address == nil {
		o.Address = func(r *http.Request) string {
			host, _, _ := net.SplitHostPort(r.RemoteAddr)
			return host
		}
	}
	if o.Viewers == 0 {
		o.Viewers = 4096
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &site{
		Options: o, front: front(o.Public), caches: map[string]*watched{}, heads: map[string]view.LeagueHead{},
		sessions: newSessions(o.SessionKey), owners: newOwners(),
		checks: newChecks(), proofs: newProofs(), glimpses: newGlimpses(o.Live),
		reading: make(chan struct{}, historyTop), packing: make(chan struct{}, packsMost),
	}
	s.templates = parseTemplates(s.front.prefix())
	s.pages, s.actions = s.allPages(), s.allActions()
	return s.routes()
}

// allPages lists the pages of the site.
func (s *site) allPages() []page {
	return join(s.indexPages(), s.leaguePages(), s.figuresPages(), seasonPages{s}.pages(), newRatingsPages(s).pages(), s.matchPages(), s.playerPages(), s.agentPages(),
		s.seatPages(), s.runPages())
}

// allActions lists all actions of the site.
func (s *site) allActions() []action {
	return join(s.matchActions(), ownerOrders{s}.actions(), s.agentActions(), s.seatActions(), s.runActions())
}

// join concatenates lists.
func join[T any](lists ...[]T) (all []T) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// routes registers every page and action at its address.
func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for _, p := range s.pages {
		at := p.path
		if at == "/" {
			at = "/{$}"
		}
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, p) })
		if p.path != "/" { // the root redirects to /leagues, or to the only league
			mux.HandleFunc("GET "+api+p.path, func(w http.ResponseWriter, r *http.Request) { s.serveView(w, r, p) })
		}
	}
	for _, a := range s.actions {
		mux.HandleFunc("POST "+a.path, func(w http.ResponseWriter, r *http.Request) { s.serveForm(w, r, a) })
		mux.HandleFunc("POST "+api+a.path, func(w http.ResponseWriter, r *http.Request) { s.serveOrder(w, r, a) })
	}
	mux.HandleFunc("GET /login", s.serveLogin)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("GET "+api+"/leagues/{league}/events", s.serveEvents)
	mux.HandleFunc("GET "+api+"/openapi.json", s.serveOpenAPI)
	mux.HandleFunc("GET /leagues/{league}/export/{file}", s.serveExport)
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		s.front.redirect(w, r, asset("icon.svg"), http.StatusFound)
	})
	mux.HandleFunc(api+"/", func(w http.ResponseWriter, r *http.Request) {
		s.failJSON(w, r, notFound("There is nothing at this address; "+api+"/openapi.json lists all addresses."))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if page := strings.TrimRight(r.URL.Path, "/"); page != r.URL.Path && r.Method == http.MethodGet {
			s.front.redirect(w, r, withQuery(page, r), http.StatusFound)
			return
		}
		s.fail(w, r, notFound("There is no such page."))
	})
	return secure(mux, s.front.origin())
}

// An away view redirects a browser to another page.
type away interface{ Away() string }

// servePage serves a view as HTML, or redirects the browser if the view requires it.
func (s *site) servePage(w http.ResponseWriter, r *http.Request, p page) {
	view, err := p.view(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if a, ok := view.(away); ok && a.Away() != "" {
		s.front.redirect(w, r, withQuery(a.Away(), r), http.StatusFound)
		return
	}
	s.render(w, r, http.StatusOK, p, view)
}

// withQuery returns a path of this site with the query of the request, such as the projector's.
func withQuery(path string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return path
	}
	return path + "?" + r.URL.RawQuery
}

// serveView serves the same view as JSON.
func (s *site) serveView(w http.ResponseWriter, r *http.Request, p page) {
	view, err := p.view(r)
	if err != nil {
		s.failJSON(w, r, err)
		return
	}
	if shared, ok := view.(interface{ document() *document }); ok {
		shared.document().send(w, r, http.StatusOK)
		return
	}
	sendJSON(w, r, http.StatusOK, view)
}
