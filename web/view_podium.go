package web

import (
	"strconv"

	"agentleague/league"
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
		if last < 0 || !out[last].has(r) {
			if r.Rank > podiumSteps {
				return out
			}
			out = append(out, Step{Place: r.Place, Number: r.Rank})
			last++
		}
		if s := &out[last]; len(s.Players) < stepMost {
			s.Players = append(s.Players, view.Player{ID: r.PlayerID, Name: r.DisplayName, Points: r.Points})
		} else {
			s.More++
		}
	}
	return out
}

// has reports whether a row has the rank of the step. A rank that is not shared has one row.
func (s Step) has(r view.Row) bool { return s.Place == r.Place && s.Place != strconv.Itoa(s.Number) }

// A Sequel is the league that may follow a finished one.
type Sequel struct {
	ID     string
	Exists bool
	Number int // of the season
}

// sequelOf returns the next season of a league, which has the same description.
func sequelOf(host Host, o *Options, v *LeagueView) *Sequel {
	n := &Sequel{ID: league.NextSeason(v.ID, nil), Number: 2}
	if o.SeasonOf != nil {
		number, _ := o.SeasonOf(v.ID)
		n.Number = number + 1
	}
	_, n.Exists = host.League(n.ID)
	return n
}
