package view

import (
	"agentleague/league"
	"agentleague/protocol"
)

// A Crosstable shows the results of each player against each other player.
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

// A CrossCell holds the results between two players.
type CrossCell struct {
	Against string   `json:"player_id"`
	Self    bool     `json:"self,omitempty"`
	Endings []Ending `json:"results"`
}

// How many players a crosstable or a chart shows. The live page is loaded again and again, so it has all players of a
// usual league and the first of a large one; FiguresMost is for pages that are loaded once.
const (
	FiguresLive  = 40
	FiguresFirst = 24
	FiguresMost  = 400
)

// first returns the rows of a table that are shown where most have room. Of more, the live page shows fewer.
func first(t *league.Table, most int) []protocol.Standing {
	switch {
	case len(t.Rows) <= most:
		return t.Rows
	case most == FiguresLive:
		return t.Rows[:FiguresFirst]
	}
	return t.Rows[:most]
}

// CrosstableOf shows the players of a table, if there are at most that many, or else its first.
func CrosstableOf(s *league.State, t *league.Table, most int) Crosstable {
	shown := first(t, most)
	out := Crosstable{Rows: make([]CrossRow, len(shown)), Left: len(t.Rows) - len(shown)}
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
		out.Rows[i] = CrossRow{Rank: row.Rank, ID: row.PlayerID, Name: Clean(row.DisplayName, NameMost), Cells: cells}
	}
	return out
}

// Numbered reports whether the columns are headed by the numbers of the rows, because ids would take too much room.
func (c Crosstable) Numbered() bool { return len(c.Rows) > 12 }

// LettersOnly reports whether cells show only their letters, so that the page of a large table stays small.
func (c Crosstable) LettersOnly() bool { return len(c.Rows) > FiguresLive }

// Letters are the endings of a cell, such as W or WL.
func (c CrossCell) Letters() (text string) {
	for _, e := range c.Endings {
		text += e.Letter
	}
	return text
}

// Tone returns the letter that colours a cell of letters: that of its first match.
func (c CrossCell) Tone() string { return c.Letters()[:min(len(c.Endings), 1)] }
