package web

import (
	"agentleague/league"
	"agentleague/protocol"
)

// An Ending is how a match ended for one of its players.
type Ending struct {
	Letter string `json:"result"`         // W, D, L or F
	Code   string `json:"code,omitempty"` // of a forfeit
	Match  string `json:"match_id"`
}

// Word says it in words.
func (e Ending) Word() string {
	return map[string]string{"W": "won", "D": "draw", "L": "lost", "F": "lost by forfeit"}[e.Letter]
}

// EndingOf tells how a match that has a result ended for one of its players.
func EndingOf(m *league.Match, id string) Ending {
	r := m.Outcome.Result
	code, forfeited := r.Forfeits[id]
	switch {
	case forfeited:
		return Ending{"F", code, m.ID}
	case r.Winner == id:
		return Ending{"W", "", m.ID}
	case r.Status == protocol.Draw:
		return Ending{"D", "", m.ID}
	}
	return Ending{"L", "", m.ID}
}

// Form lists how a player's newest matches ended, oldest first.
func Form(s *league.State, id string, most int) []Ending {
	out := []Ending{}
	matches := s.MatchesOf(id)
	for _, m := range matches[max(0, len(matches)-most-1):] { // the newest may be in play
		if m.Outcome != nil {
			out = append(out, EndingOf(m, id))
		}
	}
	return out[max(0, len(out)-most):]
}

// A Crosstable shows how everybody did against everybody.
type Crosstable struct {
	Rows []CrossRow `json:"rows"`
	Left int        `json:"more"` // players that it has no room for
}

// A CrossRow is one player's results against each, in the order of the rows.
type CrossRow struct {
	Rank  int         `json:"rank"`
	ID    string      `json:"player_id"`
	Name  string      `json:"display_name"`
	Cells []CrossCell `json:"against"`
}

// A CrossCell is what happened between two players.
type CrossCell struct {
	Against string   `json:"player_id"`
	Self    bool     `json:"self,omitempty"`
	Endings []Ending `json:"results"`
}

// crossMost is how many players a crosstable has room for.
const crossMost = 24

// NewCrosstable shows the first players of the table.
func NewCrosstable(s *league.State, table []protocol.Standing) Crosstable {
	shown := table[:min(len(table), crossMost)]
	out := Crosstable{Rows: make([]CrossRow, len(shown)), Left: len(table) - len(shown)}
	column := map[string]int{}
	for i, row := range shown {
		column[row.PlayerID] = i
	}
	for i, row := range shown {
		cells := make([]CrossCell, len(shown))
		for k, other := range shown {
			cells[k] = CrossCell{Against: other.PlayerID, Self: i == k, Endings: []Ending{}}
		}
		for _, m := range s.MatchesOf(row.PlayerID) {
			if k, ok := column[m.Opponent(row.PlayerID)]; ok && m.Outcome != nil {
				cells[k].Endings = append(cells[k].Endings, EndingOf(m, row.PlayerID))
			}
		}
		out.Rows[i] = CrossRow{Rank: row.Rank, ID: row.PlayerID, Name: said(row.DisplayName, nameMost), Cells: cells}
	}
	return out
}
