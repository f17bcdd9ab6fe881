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
	Left int        `json:"more"` // players that are not shown
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

// How many players a crosstable or a chart shows. The live page is loaded again and again, so it has all of a usual
// league and the first of a large one; FiguresMost is for pages that are loaded once.
const (
	figuresMost  = 40
	figuresFirst = 24
	FiguresMost  = 400
)

// first is how much of a table is shown where most have room. Of more, the live page shows fewer.
func first(table []protocol.Standing, most int) []protocol.Standing {
	switch {
	case len(table) <= most:
		return table
	case most == figuresMost:
		return table[:figuresFirst]
	}
	return table[:most]
}

// NewCrosstable shows the players of a table, if there are at most so many, or else its first.
func NewCrosstable(s *league.State, table []protocol.Standing, most int) Crosstable {
	shown := first(table, most)
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

// Numbered reports whether the columns are headed by the numbers of the rows, because ids would take too much room.
func (c Crosstable) Numbered() bool { return len(c.Rows) > 12 }

// Dense reports whether a cell is its letters alone: a page with the results of hundreds would be too heavy otherwise.
func (c Crosstable) Dense() bool { return len(c.Rows) > figuresMost }

// Letters are the endings of a cell, such as W or WL.
func (c CrossCell) Letters() (text string) {
	for _, e := range c.Endings {
		text += e.Letter
	}
	return text
}

// Tone is the letter that colours a dense cell: of its first match.
func (c CrossCell) Tone() string { return c.Letters()[:min(len(c.Endings), 1)] }
