package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"agentleague/league"
	"agentleague/league/seasons"
	"agentleague/league/view"
	"agentleague/web/figures"
)

// leaguePages show a league as a whole.
type leaguePages struct{ *common }

// pages are the league's main page, which has other scripts and styles on a projector, the page of drawings that are
// too large for it, and the page of all seasons.
func (s *leaguePages) pages() []page {
	return []page{
		{path: "/leagues/{league}", template: "league", nav: "Table",
			summary: "The league as it stands: table, round in play, newest results, crosstable, points over the rounds",
			view:    s.league, example: LeagueView{}, scripts: []string{"league.js", "bracket.js"}, styles: []string{"league.css"},
			wall: []string{"league.js", "wall.js"}, wallStyles: []string{"wall.css"}},
		{path: "/leagues/{league}/figures", template: "figures", example: figuresView{}, view: s.figures,
			summary: "Points over the rounds, and who beat whom, for all players", styles: []string{"detail.css"}},
		{path: "/leagues/{league}/rounds/{round}", template: "round", example: roundView{}, view: s.round,
			summary: "A round: its matches with the reason of each pairing, byes and rests", styles: []string{"detail.css"}},
		{path: "/leagues/{league}/seasons", template: "seasons", example: seasonsView{}, view: s.seasons,
			summary: "All seasons of a league, and the table of those that are over, added up",
			styles:  []string{"detail.css"}},
	}
}

// league shows the present state of the league, from its cache. Long tables are cut unless the request has ?all;
// before the start it includes the address for registration.
func (s *leaguePages) league(r *http.Request, m Season) (any, error) {
	v := s.look(m)
	p := leaguePage{LeagueView: v, Own: s.owned(r, m), All: r.URL.Query().Has("all") || len(v.Standings) <= rowsMost+rowsSlack}
	if v.Waiting() {
		p.Address = addressOf(r, s.Public, v.Endpoint, v.ID)
	}
	number, wanted := 1, 1
	if s.SeasonOf != nil {
		number, wanted = s.SeasonOf(v.ID)
	}
	if wanted > 1 {
		p.Season = &seasonNote{number, wanted}
	}
	if v.Over() {
		p.Next = &nextSeasonView{ID: seasons.Next(v.ID, nil), Number: number + 1}
		_, p.Next.Exists = s.Host.League(p.Next.ID)
	}
	return p, nil
}

// A leaguePage is a view and its extent.
type leaguePage struct {
	*LeagueView
	All     bool   `json:"-"` // the whole table
	Own     string `json:"-"` // the player of the owner that requests the page
	Address string `json:"-"` // the page's address for other clients

	Next   *nextSeasonView `json:"-"` // after a league that is over
	Season *seasonNote     `json:"-"` // nil if the league has one season
}

// QR returns the QR code of the page's address; nil: there is none.
func (p leaguePage) QR() *figures.QR { return figures.NewQR(p.Address) }

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

// A nextSeasonView is the league that may follow a finished one: the next season, which has the same description.
type nextSeasonView struct {
	ID     string
	Exists bool
	Number int // of the season
}

// A seasonNote identifies a league among several seasons.
type seasonNote struct{ Number, Wanted int }

// seasonsView has the totals over all seasons of a league.
type seasonsView struct {
	seasons.Series
	Played int `json:"seasons_played"`
}

// Title returns the page title.
func (seasonsView) Title() string { return "All seasons" }

// seasons shows the seasons, and the table of the finished ones.
func (s *leaguePages) seasons(_ *http.Request, m Season) (any, error) {
	if s.Seasons == nil {
		return nil, notFound("This manager plays no further seasons.")
	}
	all, err := s.Seasons(m.ID())
	if err != nil {
		return nil, err
	}
	return seasonsView{Series: all, Played: all.Played()}, nil
}

// A roundView is the view of a round's page.
type roundView struct{ view.Round }

// Title returns the page title.
func (v roundView) Title() string { return fmt.Sprint("Round ", v.Round.Round) }

// round shows a round.
func (s *leaguePages) round(r *http.Request, m Season) (any, error) {
	n, _ := strconv.Atoi(r.PathValue("round"))
	var v roundView
	ok := false
	m.Read(func(st *league.State) { v.Round, ok = view.RoundOf(st, n) })
	if !ok {
		return nil, notFound("There is no such round yet.")
	}
	return v, nil
}

// figuresView has the chart and the crosstable of all players. The live page of a large league has only the first.
type figuresView struct {
	LeagueID   string          `json:"league_id"`
	Round      int             `json:"round"` // up to which results are counted
	Chart      figures.Chart   `json:"chart"`
	Crosstable view.Crosstable `json:"crosstable"`
	Paired     *view.Paired    `json:"pairings,omitempty"`
}

// Title returns the page title.
func (figuresView) Title() string { return "All players" }

// figures draws all players, up to view.FiguresMost, from one state of the league.
func (s *leaguePages) figures(_ *http.Request, m Season) (any, error) {
	v := figuresView{LeagueID: m.ID()}
	m.Read(func(st *league.State) {
		table := m.View().Latest(st)
		v.Round, v.Paired = st.Round, view.PairedOf(st, view.RowsOf(st, table), view.FiguresMost)
		v.Chart, v.Crosstable = figures.NewChart(view.CurvesOf(st, table, view.FiguresMost)),
			view.CrosstableOf(st, table, view.FiguresMost)
	})
	return v, nil
}
