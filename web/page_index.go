package web

import (
	"net/http"
	"slices"
)

// IndexView is all leagues of this manager.
type IndexView struct {
	Leagues []LeagueHead `json:"leagues"`
	only    string
}

// Title is that of the page.
func (IndexView) Title() string { return "Leagues" }

// Over reports whether a league is over, so that there are ratings over all leagues.
func (v IndexView) Over() bool { return slices.ContainsFunc(v.Leagues, LeagueHead.Over) }

// Away sends a browser to the one league when there is one only.
func (v IndexView) Away() string { return v.only }

// indexPages are the list of leagues, and the root of the site, which leads to the only league where there is but
// one.
func (s *site) indexPages() []page {
	return []page{
		{path: "/", template: "index", summary: "All leagues of this manager", view: s.index(true), example: IndexView{},
			styles: []string{"run.css"}},
		{path: "/leagues", template: "index", summary: "All leagues of this manager", view: s.index(false),
			example: IndexView{}, styles: []string{"run.css"}},
	}
}

// index lists the leagues. With jump, a list of one is left for the league itself.
func (s *site) index(jump bool) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		v := IndexView{Leagues: []LeagueHead{}}
		for _, id := range s.Host.Leagues() {
			if m, ok := s.Host.League(id); ok {
				v.Leagues = append(v.Leagues, s.cache(m).look(&s.Options).LeagueHead)
			}
		}
		if jump && len(v.Leagues) == 1 {
			v.only = "/leagues/" + v.Leagues[0].ID
		}
		return v, nil
	}
}
