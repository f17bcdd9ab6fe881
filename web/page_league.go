package web

import (
	"net/http"
	"net/url"

	"agentleague/league/view"
)

// leaguePages is the league's main page. It has other scripts and styles on a projector.
func (s *site) leaguePages() []page {
	return []page{
		{path: "/leagues/{league}", template: "league", nav: "Live",
			summary: "The league as it stands: table, round in play, newest results, crosstable, points over the rounds",
			view:    s.league, example: LeagueView{}, scripts: []string{"league.js"}, styles: []string{"league.css"},
			wall: []string{"league.js", "wall.js"}, wallStyles: []string{"wall.css"}},
	}
}

// league shows the present state of the league, from its cache. Long tables are cut unless the request has ?all;
// before the start it includes the address for registration.
func (s *site) league(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	v := s.cache(m).look(&s.Options)
	p := leaguePage{LeagueView: v, All: r.URL.Query().Has("all") || len(v.Standings) <= rowsMost+rowsSlack}
	if v.Waiting() {
		p.Address = addressOf(r, s.Public, v.Endpoint, v.ID)
	}
	p.Season = seasonNote(&s.Options, v.ID)
	if v.Over() {
		p.Next = sequelOf(s.Host, &s.Options, v)
	}
	return p, nil
}

// A leaguePage is a view and its extent.
type leaguePage struct {
	*LeagueView
	All     bool   `json:"-"` // the whole table
	Address string `json:"-"` // the page's address for other clients

	Next   *Sequel     `json:"-"` // after a league that is over
	Season *SeasonNote `json:"-"` // nil if the league has one season
}

// QR returns the QR code of the page's address; nil: there is none.
func (p leaguePage) QR() *QR { return newQR(p.Address) }

// OnlyHere reports whether the address works only on this machine.
func (p leaguePage) OnlyHere() bool {
	u, err := url.Parse(p.Address)
	return err == nil && onlyHere(u.Host)
}

// A long table is cut to its first rows, unless few would be left over.
const (
	rowsMost  = 40
	rowsSlack = 10
)

// Rows returns the rows of the table to show.
func (p leaguePage) Rows() []view.Row {
	if p.All {
		return p.Standings
	}
	return p.Standings[:rowsMost]
}

// Rest returns the number of the rows that are cut.
func (p leaguePage) Rest() int { return len(p.Standings) - len(p.Rows()) }
