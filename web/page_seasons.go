package web

import (
	"net/http"

	"agentleague/league"
)

// SeasonsView has the totals over all seasons of a league.
type SeasonsView struct {
	league.Series
	Played int `json:"seasons_played"`
}

// Title returns the page title.
func (SeasonsView) Title() string { return "All seasons" }

// seasonPages show the seasons of a site's leagues.
type seasonPages struct{ *site }

// pages is the page of all seasons of a league.
func (s seasonPages) pages() []page {
	return []page{{
		path: "/leagues/{league}/seasons", template: "seasons", example: SeasonsView{}, view: s.all,
		summary: "All seasons of a league, and the table of those that are over, added up",
		styles:  []string{"detail.css"},
	}}
}

// all shows the seasons, and the table of the finished ones.
func (s seasonPages) all(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	if s.Seasons == nil {
		return nil, notFound("This manager plays no further seasons.")
	}
	all, err := s.Seasons(m.ID())
	if err != nil {
		return nil, err
	}
	return SeasonsView{Series: all, Played: all.Played()}, nil
}

// A SeasonNote identifies a league among several seasons.
type SeasonNote struct{ Number, Wanted int }

// seasonNote returns a league's season; nil: it is the only one.
func seasonNote(o *Options, id string) *SeasonNote {
	if o.SeasonOf == nil {
		return nil
	}
	number, wanted := o.SeasonOf(id)
	if wanted < 2 {
		return nil
	}
	return &SeasonNote{number, wanted}
}
