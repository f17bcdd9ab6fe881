package view

import (
	"slices"
	"strconv"

	"agentleague/league"
	"agentleague/protocol"
)

// A Grid shows the opponents of each player by round, as the table of a Swiss tournament does.
type Grid struct {
	Rounds []int     `json:"rounds"`
	Rows   []GridRow `json:"rows"`
	Left   int       `json:"more"` // players that are not shown
}

// A GridRow holds a player's part in each round of Grid.Rounds.
type GridRow struct {
	Place    string     `json:"place"`
	ID       string     `json:"player_id"`
	Name     string     `json:"display_name"`
	Points   int        `json:"points"`
	Buchholz int        `json:"buchholz"`
	Cells    []GridCell `json:"cells"`
}

// A GridCell holds a player's part in a round: a match, a bye, a rest, or nothing before it joined.
type GridCell struct {
	What     string `json:"what"` // match, bye, rest or nothing
	Match    string `json:"match_id,omitempty"`
	Against  int    `json:"row,omitempty"` // of the opponent, from 1; 0 if it is not shown
	Opponent string `json:"player_id,omitempty"`
	Name     string `json:"display_name,omitempty"`
	Seat     int    `json:"seat,omitempty"` // 1 or 2
	Result   string `json:"result,omitempty"`
}

// Word returns the result of a cell's match as a word.
func (c GridCell) Word() string {
	if c.Result == "" {
		return "not over"
	}
	return Ending{Letter: c.Result}.Word()
}

// gridRounds is the maximum number of rounds of a grid: the newest.
const gridRounds = 24

// gridOf returns the grid of a table's rows: of all, if there are at most most, or else of the first.
func gridOf(s *league.State, rows []Row, most int) *Grid {
	shown := rows[:len(first(&league.Table{Rows: make([]protocol.Standing, len(rows))}, most))]
	g := &Grid{Left: len(rows) - len(shown)}
	for n := max(1, s.Round-gridRounds+1); n <= s.Round; n++ {
		g.Rounds = append(g.Rounds, n)
	}
	place := map[string]int{}
	for i, row := range shown {
		place[row.PlayerID] = i + 1
		g.Rows = append(g.Rows, GridRow{row.Place, row.PlayerID, row.DisplayName, row.Points, row.Paired.Buchholz,
			make([]GridCell, len(g.Rounds))})
	}
	for k, n := range g.Rounds {
		round, _ := league.PairedRound(s, n)
		for i := range g.Rows {
			g.Rows[i].Cells[k] = GridCell{What: absence(round, g.Rows[i].ID)}
		}
		for _, m := range s.InRound(n) {
			for seat, id := range []string{m.A, m.B} {
				if row := place[id]; row > 0 {
					g.Rows[row-1].Cells[k] = cellOf(s, m, id, seat+1, place)
				}
			}
		}
	}
	return g
}

// cellOf returns a match as a cell of one of its players.
func cellOf(s *league.State, m *league.Match, id string, seat int, place map[string]int) GridCell {
	other := m.Opponent(id)
	c := GridCell{What: "match", Match: m.ID, Against: place[other], Opponent: other, Name: nameOf(s, other).Name, Seat: seat}
	if m.Outcome != nil {
		c.Result = EndingOf(m, id).Letter
	}
	return c
}

// absence returns why a player has no match in a round.
func absence(round league.RoundPaired, id string) string {
	switch {
	case slices.Contains(round.Byes, id):
		return "bye"
	case slices.Contains(round.Resting, id):
		return "rest"
	}
	return "nothing"
}

func number(n int) string { return strconv.Itoa(n) }
