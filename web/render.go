package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

// A frame holds the data of the layout around a view.
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

// render writes a page whole, or an error instead of it.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, p page, view any) {
	f := frame{
		Page: p.template, Path: r.URL.Path, Query: r.URL.RawQuery, League: r.PathValue("league"), Scripts: p.scripts,
		Styles: p.styles, Admin: s.isAdmin(r), CanAdmin: s.Options.Admin != nil,
		Projector: r.URL.Query().Has("projector"), Version: s.Version, View: view,
	}
	if f.Projector && p.wall != nil {
		f.Seconds, f.Scripts, f.Styles = seconds(r.URL.Query().Get("projector")), p.wall, p.wallStyles
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
func (s *site) nav(league string, current page) (out []link) {
	for _, p := range s.pages {
		if p.nav != "" {
			out = append(out, link{strings.Replace(p.path, "{league}", league, 1), p.nav, p.path == current.path})
		}
	}
	return out
}
