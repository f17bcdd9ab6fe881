package web

import (
	"agentleague/league"
	"agentleague/protocol"
)

// LeagueHead is what every page tells of a league.
type LeagueHead struct {
	ID       string `json:"league_id"`
	Name     string `json:"name"`
	Game     string `json:"game_type"`
	GameName string `json:"game"`
	State    string `json:"state"`
	Paused   bool   `json:"paused"`
	Draining bool   `json:"draining"`          // matches in play are finished, and no others begin
	Resting  string `json:"resting,omitempty"` // why it rests although nobody told it to
	Round    int    `json:"round"`
	Rounds   int    `json:"rounds"`
	Recorded int    `json:"matches_recorded"`
	Matches  int    `json:"matches"`
	Players  int    `json:"players"`
	Referees int    `json:"referees"`
}

// Over reports whether the league is over.
func (h LeagueHead) Over() bool { return h.State == protocol.LeagueIsCompleted }

// Waiting reports whether it has not begun.
func (h LeagueHead) Waiting() bool {
	return h.State == protocol.WaitingForRegistrations || h.State == protocol.CreatingSchedule
}

// LeagueView is a league as its live page shows it.
type LeagueView struct {
	LeagueHead
	Sequence  uint64              `json:"sequence"` // of the log, up to which everything is counted
	Standings []protocol.Standing `json:"standings"`
}

// Title is that of the page.
func (v *LeagueView) Title() string { return v.Name }

// newLeagueView looks at a league.
func (s *site) newLeagueView(m *league.Manager) *LeagueView {
	v := &LeagueView{Sequence: m.Sequence()} // before the state is read: never ahead of what is shown
	v.Resting, v.Draining = m.Resting(), m.Draining()
	m.Read(func(st *league.State) {
		v.head(s, st)
		v.Standings = st.Standings()
	})
	return v
}

func (v *LeagueView) head(s *site, st *league.State) {
	v.ID, v.Game = st.Created.LeagueID, st.Created.GameType
	v.Name, v.GameName = said(s.Options.Title(v.ID), nameMost), s.Options.Game(v.Game)
	v.State, v.Paused, v.Round, v.Rounds = st.Phase(st.Ordered), st.Paused, st.Round, st.Schedule.Rounds()
	v.Recorded, v.Matches, v.Players, v.Referees = st.Recorded, st.Schedule.Matches(), len(st.Players()), len(st.Roster(protocol.RoleReferee))
}
