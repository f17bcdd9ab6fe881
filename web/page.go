package web

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
)

// A page is one address of the site. Its view is what the page and the API show: the template renders it, and JSON is made of it.
type page struct {
	path     string // such as /leagues/{league}/agents; {league} is found by site.manager
	template string // templates/NAME.html, which defines "main"
	nav      string // its name in the league's navigation; "": it is not there
	summary  string // what it shows, for openapi.json
	view     func(r *http.Request) (any, error)
	example  any      // a zero view, from which openapi.json has its schema
	scripts  []string // of assets, besides frame.js
	styles   []string // of assets, besides frame.css
}

// An action is something that can be done: by a form on a page, or by the API with a JSON body.
type action struct {
	path    string // of a POST, such as /leagues/{league}/pause
	summary string
	open    bool // anybody may; otherwise the admin's token is needed
	// do returns where a browser goes next and what the API answers.
	do func(r *http.Request) (next string, answer any, err error)
	// body is a zero value of what the API takes, for openapi.json; nil: nothing. Its members are the form's fields.
	body any
}

const api = "/api/v1"

// pages are all pages of the site.
func (s *site) pages() []page {
	return join(s.indexPages(), s.leaguePages(), s.matchPages(), s.playerPages(), s.agentPages(), s.seatPages(), s.runPages())
}

// actions are all that can be done.
func (s *site) actions() []action {
	return join(s.matchActions(), s.agentActions(), s.seatActions(), s.runActions())
}

func join[T any](lists ...[]T) (all []T) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// routes puts every page and action to its address.
func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for _, p := range s.pages() {
		at := p.path
		if at == "/" {
			at = "/{$}"
		}
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, p) })
		if p.path != "/" { // which is /leagues, or the one there is
			mux.HandleFunc("GET "+api+p.path, func(w http.ResponseWriter, r *http.Request) { s.serveView(w, r, p) })
		}
	}
	for _, a := range s.actions() {
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
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, asset("icon.svg"), http.StatusFound) })
	mux.HandleFunc(api+"/", func(w http.ResponseWriter, r *http.Request) {
		s.failJSON(w, r, notFound("There is nothing at this address; "+api+"/openapi.json lists all addresses."))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, notFound("There is no such page.")) })
	return secure(mux)
}

// A frame is what the layout shows around a view.
type frame struct {
	Title     string
	Page      string // the template's name
	Path      string
	Query     string
	League    string // its id; "": none
	Name      string // the league's
	Nav       []link
	Scripts   []string
	Styles    []string
	Admin     bool // who looks is the admin
	CanAdmin  bool // somebody can be
	Projector bool
	Version   string
	View      any
}

// A link is an entry of the navigation.
type link struct {
	To, Label string
	Current   bool
}

// A titled view says what its page is called.
type titled interface{ Title() string }

// An away view sends a browser to another page.
type away interface{ Away() string }

func (s *site) servePage(w http.ResponseWriter, r *http.Request, p page) {
	view, err := p.view(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if a, ok := view.(away); ok && a.Away() != "" {
		http.Redirect(w, r, a.Away(), http.StatusFound)
		return
	}
	s.render(w, r, http.StatusOK, p, view)
}

// render writes a page whole, or an error instead of it.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, p page, view any) {
	f := frame{
		Page: p.template, Path: r.URL.Path, Query: r.URL.RawQuery, League: r.PathValue("league"), Scripts: p.scripts, Styles: p.styles, Admin: s.isAdmin(r), CanAdmin: s.Options.Admin != nil,
		Projector: r.URL.Query().Has("projector"), Version: s.Version, View: view,
	}
	if _, ok := s.Host.League(f.League); ok {
		f.Name, f.Nav = said(s.Options.Title(f.League), nameMost), s.nav(f.League, p)
	} else {
		f.League = ""
	}
	if t, ok := view.(titled); ok {
		f.Title = t.Title()
	}
	var out bytes.Buffer
	if err := s.templates[p.template].ExecuteTemplate(&out, "layout", f); err != nil {
		s.Logger.Error("a page could not be rendered", slog.String("page", p.template), slog.Any("error", err))
		http.Error(w, "the page could not be rendered", http.StatusInternalServerError)
		return
	}
	send(w, r, status, "text/html; charset=utf-8", out.Bytes())
}

// nav lists the pages of a league.
func (s *site) nav(league string, current page) (out []link) {
	for _, p := range s.pages() {
		if p.nav != "" {
			out = append(out, link{strings.Replace(p.path, "{league}", league, 1), p.nav, p.path == current.path})
		}
	}
	return out
}

func (s *site) serveView(w http.ResponseWriter, r *http.Request, p page) {
	view, err := p.view(r)
	if err != nil {
		s.failJSON(w, r, err)
		return
	}
	sendJSON(w, r, http.StatusOK, view)
}

func sendJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		http.Error(w, "the answer could not be encoded", http.StatusInternalServerError)
		return
	}
	send(w, r, status, "application/json", out.Bytes())
}
