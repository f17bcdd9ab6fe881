package web

import "net/http"

func (s *site) leaguePages() []page {
	return []page{
		{path: "/leagues/{league}", template: "league", nav: "Live",
			summary: "The league as it stands: table, round in play, newest results, crosstable, points over the rounds",
			view:    s.league, example: LeagueView{}, scripts: []string{"league.js"}, styles: []string{"league.css"},
			wall: []string{"league.js", "wall.js"}, wallStyles: []string{"wall.css"}},
	}
}

func (s *site) league(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	v := s.cache(m).look(&s.Options)
	return leaguePage{v, r.URL.Query().Has("all") || len(v.Standings) <= rowsMost+rowsSlack}, nil
}

// A leaguePage is a view and how much of it is shown.
type leaguePage struct {
	*LeagueView
	All bool `json:"-"` // the whole table
}

// Of a long table the first rows are shown at first, unless few would be left over.
const (
	rowsMost  = 40
	rowsSlack = 10
)

// Rows are those of the table that are shown.
func (p leaguePage) Rows() []Row {
	if p.All {
		return p.Standings
	}
	return p.Standings[:rowsMost]
}

// Rest is how many are not.
func (p leaguePage) Rest() int { return len(p.Standings) - len(p.Rows()) }
