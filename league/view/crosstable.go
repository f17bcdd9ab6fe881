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

// A CrossRow holds one player's results against each other player, in the order of the rows.
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

// Maximum numbers of players in a crosstable or chart. The live page is reloaded often: it shows all players of a
// league of up to FiguresLive, and only the first FiguresFirst of a larger one. FiguresMost is for pages that are
// loaded once.
const (
	FiguresLive  = 40
	FiguresFirst = 24
	FiguresMost  = 400
)

// first returns the rows of a table that are shown: all, if there are at most most, or else the first most. On the
// live page it is the first FiguresFirst.
func first(t *league.Table, most int) []protocol.Standing {
	switch {
	case len(t.Rows) <= most:
		return t.Rows
	case most == FiguresLive:
		return t.Rows[:FiguresFirst]
	}
	return t.Rows[:most]
}

// CrosstableOf returns the crosstable of a table's players: of all, if there are at most most, or else of the
// first.
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

// Numbered reports whether the columns have row numbers as headings, because ids would need too much space.
func (c Crosstable) Numbered() bool { return len(c.Rows) > 12 }

// LettersOnly reports whether cells show only their letters, so that the page of a large table stays small.
func (c Crosstable) LettersOnly() bool { return len(c.Rows) > FiguresLive }

// Letters returns the outcomes in a cell, one letter for each match, such as WL.
func (c CrossCell) Letters() (text string) {
	for _, e := range c.Endings {
		text += e.Letter
	}
	return text
}

// Tone returns the letter that determines the color of a cell: that of its first match.
func (c CrossCell) Tone() string { return c.Letters()[:min(len(c.Endings), 1)] }
