package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// A frame holds the data of the layout around a view.
type frame struct {
	Title     string
	About     string // a sentence for links to the page; "": none
	Page      string // the template's name
	Path      string
	Query     string
	League    string // its id; "": none
	Name      string // the league's
	Nav       []link
	Scripts   []string
	Styles    []string
	Admin     bool // the client is the admin
	CanAdmin  bool // an admin can log in
	Projector bool
	Seconds   int // the duration of a slide on the projector
	Version   string
	View      any
}

// A link is an entry of the navigation.
type link struct {
	To, Label string
	Current   bool
}

// A titled view has its own page title.
type titled interface{ Title() string }

// A renderer writes views and problems as pages.
type renderer struct {
	*Options
	access    *access
	front     front // the site's address for external clients
	templates templates
	pages     []page // of the navigation
}

// render writes a page whole, or an error instead of it.
func (s *renderer) render(w http.ResponseWriter, r *http.Request, status int, p page, view any) {
	f := frame{
		Page: p.template, Path: r.URL.Path, Query: r.URL.RawQuery, League: r.PathValue("league"), Scripts: p.scripts,
		Styles: p.styles, Admin: s.access.isAdmin(r), CanAdmin: s.Admin != nil,
		Projector: r.URL.Query().Has("projector"), Version: s.Version, View: view,
	}
	if f.Projector && p.wall != nil {
		f.Seconds, f.Scripts, f.Styles = seconds(r.URL.Query().Get("projector")), p.wall, p.wallStyles
	}
	if _, ok := s.Host.League(f.League); ok {
		f.Name, f.Nav = said(s.Title(f.League), nameMost), s.nav(f.League, p)
	} else {
		f.League = ""
	}
	if t, ok := view.(titled); ok {
		f.Title = t.Title()
	}
	if d, ok := view.(interface{ Describe() string }); ok {
		f.About = d.Describe()
	}
	var out bytes.Buffer
	if err := s.templates[p.template].ExecuteTemplate(&out, "layout", f); err != nil {
		s.Logger.Error("a page could not be rendered", slog.String("page", p.template), slog.Any("error", err))
		http.Error(w, "the page could not be rendered", http.StatusInternalServerError)
		return
	}
	newDocument("text/html; charset=utf-8", out.Bytes()).send(w, r, status)
}

// seconds parses the duration of a slide in the address, within limits.
func seconds(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 10
	}
	return min(max(n, 1), 600)
}

// nav lists the pages of a league.
func (s *renderer) nav(league string, current page) (out []link) {
	for _, p := range s.pages {
		if p.nav != "" {
			out = append(out, link{strings.Replace(p.path, "{league}", league, 1), p.nav, p.path == current.path})
		}
	}
	return out
}

// asProblem converts any error to a problem. Internal errors are only logged.
func (s *renderer) asProblem(r *http.Request, err error) *problem {
	var p *problem
	var refused *protocol.Error
	switch {
	case errors.As(err, &p):
		return p
	case protocol.Is(err, protocol.RateLimited) && errors.As(err, &refused):
		return &problem{Status: http.StatusTooManyRequests, What: said(refused.Detail, 400)}
	case errors.As(err, &refused):
		return &problem{Status: http.StatusConflict, What: said(refused.Detail, 400)}
	case errors.Is(err, context.Canceled):
		return &problem{Status: http.StatusServiceUnavailable, What: "The manager is shutting down.", Do: "Start it again and reload the page."}
	}
	s.Logger.Error("a page failed", slog.String("path", r.URL.Path), slog.Any("error", err))
	return &problem{Status: http.StatusInternalServerError, What: "Something went wrong on the manager's side.", Do: "See the manager's log."}
}

// fail answers with an error, as a page or, for a program, as JSON. A browser that needs a login is sent to it.
func (s *renderer) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Header.Get("Accept") == "application/json" {
		s.failJSON(w, r, err)
		return
	}
	p := s.asProblem(r, err)
	if p.login {
		next := within(cmp.Or(r.FormValue("next"), map[bool]string{true: r.URL.Path}[r.Method == http.MethodGet]))
		s.front.redirect(w, r, "/login?next="+url.QueryEscape(next), http.StatusSeeOther)
		return
	}
	s.render(w, r, p.Status, page{template: "problem"}, p)
}

// failJSON answers a program with an error.
func (s *renderer) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	p := s.asProblem(r, err)
	sendJSON(w, r, p.Status, p)
}
