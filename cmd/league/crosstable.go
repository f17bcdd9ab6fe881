package main

import (
	"fmt"

	"agentleague/league"
	"agentleague/protocol"
)

// An ending is how a match ended for one of its players.
type ending struct {
	Letter string // W, D, L or F; "" before the end
	Word   string
	Code   string // of a forfeit
	Match  string
}

func endingOf(m *league.Match, id string) ending {
	r := m.Outcome.Result
	code, forfeited := r.Forfeits[id]
	switch {
	case forfeited:
		return ending{"F", "lost by forfeit", code, m.ID}
	case r.Winner == id:
		return ending{"W", "won", "", m.ID}
	case r.Status == protocol.Draw:
		return ending{"D", "draw", "", m.ID}
	}
	return ending{"L", "lost", "", m.ID}
}

// forms lists how each player's matches ended, oldest first.
func forms(s *league.State) map[string][]ending {
	out := map[string][]ending{}
	for _, m := range matchesOf(s) {
		if m.Outcome != nil {
			out[m.A] = append(out[m.A], endingOf(m, m.A))
			out[m.B] = append(out[m.B], endingOf(m, m.B))
		}
	}
	return out
}

// matchesOf lists the matches of all rounds in their order.
func matchesOf(s *league.State) (out []*league.Match) {
	for n := range s.Round {
		out = append(out, s.InRound(n+1)...)
	}
	return out
}

// A crosstable shows how everybody did against everybody.
type crosstable struct {
	Rows []crossRow
	Left int // players that it has no room for
}

// A crossRow is one player's results against each.
type crossRow struct {
	Rank     int
	ID, Name string
	Cells    []crossCell
}

// A crossCell is what happened between two players.
type crossCell struct {
	Self    bool
	Against string
	Endings []ending
}

// crossMost is how many players a crosstable has room for.
const crossMost = 24

func newCrosstable(s *league.State, table []protocol.Standing) crosstable {
	met := map[[2]string][]ending{}
	for _, m := range matchesOf(s) {
		if m.Outcome != nil {
			met[[2]string{m.A, m.B}] = append(met[[2]string{m.A, m.B}], endingOf(m, m.A))
			met[[2]string{m.B, m.A}] = append(met[[2]string{m.B, m.A}], endingOf(m, m.B))
		}
	}
	shown := table[:min(len(table), crossMost)]
	out := crosstable{Left: len(table) - len(shown)}
	for _, row := range shown {
		line := crossRow{Rank: row.Rank, ID: row.PlayerID, Name: row.DisplayName}
		for _, other := range shown {
			line.Cells = append(line.Cells, crossCell{
				Self: other.PlayerID == row.PlayerID, Against: fmt.Sprintf("%s against %s", row.PlayerID, other.PlayerID),
				Endings: met[[2]string{row.PlayerID, other.PlayerID}],
			})
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}
