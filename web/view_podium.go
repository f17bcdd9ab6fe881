package web

import (
	"strconv"

	"agentleague/league/view"
)

// A Step is a step of the podium: a rank, and all its players.
type Step struct {
	Place   string        `json:"place"` // 1, or =1 if it is shared
	Number  int           `json:"rank"`
	Players []view.Player `json:"players"`
	More    int           `json:"more,omitempty"` // players of that rank that are not listed
}

// Shared reports whether several players share the rank.
func (s Step) Shared() bool { return len(s.Players)+s.More > 1 }

const (
	podiumSteps = 3 // ranks on it
	stepMost    = 6 // names on a step
)

// podium returns the first three ranks of a table.
func podium(rows []view.Row) (out []Step) {
	for _, r := range rows {
		last := len(out) - 1
		if last < 0 || !out[last].sharedBy(r) {
			if r.Rank > podiumSteps {
				return out
			}
			out = append(out, Step{Place: r.Place, Number: r.Rank})
			last++
		}
		if s := &out[last]; len(s.Players) < stepMost {
			s.Players = append(s.Players, view.Player{ID: r.PlayerID, Name: r.DisplayName, Points: r.Points, Rating: r.LadderRating()})
		} else {
			s.More++
		}
	}
	return out
}

// sharedBy reports whether a row shares the rank of the step. A shared place is marked, such as =2; an unmarked place,
// such as 2, belongs to one row.
func (s Step) sharedBy(r view.Row) bool {
	return s.Place == r.Place && s.Place != strconv.Itoa(s.Number)
}
