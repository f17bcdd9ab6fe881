package web

import (
	"slices"
	"sync"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/figures"
)

// LeagueView is the view of a league's live page.
type LeagueView struct {
	view.LeagueHead
	Sequence   uint64           `json:"sequence"`         // of the log, up to which the view is current
	Podium     []Step           `json:"podium,omitempty"` // the first three ranks, when it is over
	Standings  []view.Row       `json:"standings"`
	RoundNow   *view.RoundNow   `json:"round_now"` // the round in play, or the last one
	Newest     []view.MatchRow  `json:"newest"`    // results, the newest first
	Crosstable view.Crosstable  `json:"crosstable"`
	Chart      figures.Chart    `json:"chart"`
	Scoring    protocol.Scoring `json:"scoring"`
	Missing    string           `json:"missing,omitempty"` // missing conditions for its start
	Awaited    int              `json:"awaited,omitempty"` // the number of players at which it starts automatically
	Endpoint   string           `json:"endpoint"`          // where agents register
	Lobby      *view.Lobby      `json:"lobby,omitempty"`   // the agents that have joined before the start

	Paired *view.Paired `json:"pairings,omitempty"` // of a league that pairs round by round

	of        *view.League
	wallChart figures.Chart    // in the size of the projector
	json      func() *document // for the API, encoded once for all readers
}

// newLeagueView renders a league's view.
func newLeagueView(l *view.League) *LeagueView {
	v := &LeagueView{
		LeagueHead: l.LeagueHead, Sequence: l.Seq, Standings: l.Rows, RoundNow: l.RoundNow,
		Newest: l.Newest, Crosstable: l.Crosstable, Chart: figures.NewChart(l.Curves), Scoring: l.Scoring, Missing: l.Missing,
		Awaited: l.Awaited, Endpoint: l.Endpoint, Lobby: l.Lobby, Paired: l.Paired, of: l, wallChart: figures.NewWallChart(l.WallCurves),
	}
	if len(l.Champions) > 0 {
		v.Podium = podium(l.Rows)
	}
	v.json = sync.OnceValue(func() *document { return newJSON(v) })
	return v
}

func (v *LeagueView) document() *document { return v.json() }

// Ladder reports whether the ratings are the table.
func (v *LeagueView) Ladder() bool { return v.Paired != nil && v.Paired.Ladder() }

// Crossed reports whether a table of the results between players makes sense; a bracket shows them.
func (v *LeagueView) Crossed() bool {
	return v.Recorded > 0 && (v.Paired == nil || v.Paired.Bracket == nil)
}

// Rated reports whether there are ratings to show.
func (v *LeagueView) Rated() bool {
	return slices.ContainsFunc(v.Standings, func(r view.Row) bool { return r.Rating != nil })
}

// EarlierResults returns the number of results that are not among the newest.
func (v *LeagueView) EarlierResults() int { return v.Recorded - len(v.Newest) }

// Title returns the page title.
func (v *LeagueView) Title() string { return v.Name }

// Describe returns the sentence that a link to the page is shown with.
func (v *LeagueView) Describe() string { return describeHead(v.LeagueHead) }
