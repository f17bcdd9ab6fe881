package web

import (
	"net/http"

	"agentleague/league"
	"agentleague/league/view"
)

// FiguresView has the chart and the crosstable of all players. The live page of a large league has only the first.
type FiguresView struct {
	LeagueID   string          `json:"league_id"`
	Round      int             `json:"round"` // up to which results are counted
	Chart      Chart           `json:"chart"`
	Crosstable view.Crosstable `json:"crosstable"`
}

// Title returns the page title.
func (FiguresView) Title() string { return "All players" }

// figuresPages is the page of drawings that are too large for the league's page.
func (s *site) figuresPages() []page {
	return []page{{
		path: "/leagues/{league}/figures", template: "figures", example: FiguresView{}, view: s.figures,
		summary: "Points over the rounds, and who beat whom, for all players",
		styles:  []string{"detail.css"},
	}}
}

// figures draws all players, up to view.FiguresMost, from one state of the league.
func (s *site) figures(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	v := FiguresView{LeagueID: m.ID()}
	m.Read(func(st *league.State) {
		table := m.View().Latest(st)
		v.Round = st.Round
		v.Chart, v.Crosstable = NewChart(view.CurvesOf(st, table, view.FiguresMost)),
			view.CrosstableOf(st, table, view.FiguresMost)
	})
	return v, nil
}
