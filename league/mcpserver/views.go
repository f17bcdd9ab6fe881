package mcpserver

import (
	"encoding/json"
	"fmt"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// The types below are the JSON form of a league.

// A moment is how far a league is.
type moment struct {
	State    string `json:"state"`
	Round    int    `json:"round"`
	Rounds   int    `json:"total_rounds"`
	Recorded int    `json:"matches_completed"`
	Total    int    `json:"total_matches"`
}

// A table is league://standings.
type table struct {
	LeagueID string `json:"league_id"`
	GameType string `json:"game_type"`
	moment
	Standings []protocol.Standing `json:"standings"`
}

// A result is a match in any state: scheduled, pending or finished.
type result struct {
	ID       string                     `json:"match_id"`
	Round    int                        `json:"round_id"`
	A        string                     `json:"player_A_id"`
	B        string                     `json:"player_B_id"`
	NameA    string                     `json:"player_A_name"`
	NameB    string                     `json:"player_B_name"`
	Referee  string                     `json:"referee_id,omitempty"`
	Attempt  int                        `json:"attempt,omitempty"`
	Status   string                     `json:"status"` // SCHEDULED, PENDING, WIN, DRAW or TECHNICAL_LOSS
	Winner   string                     `json:"winner,omitempty"`
	Drawn    *int                       `json:"drawn_number,omitempty"`
	Choices  map[string]json.RawMessage `json:"choices,omitempty"`
	Moves    []protocol.PlayedMove      `json:"moves,omitempty"`
	Forfeits map[string]string          `json:"forfeits,omitempty"`
	// Proof is the basis of the result: proven, judged, unproven or disputed.
	Proof  string `json:"proof,omitempty"`
	Hosted bool   `json:"hosted,omitempty"` // a player runs in the manager's process
}

// A round is league://rounds/{n}.
type round struct {
	Round     int                    `json:"round_id"`
	Status    string                 `json:"status"` // SCHEDULED, IN_PROGRESS or COMPLETED
	StartedAt string                 `json:"started_at,omitempty"`
	EndedAt   string                 `json:"completed_at,omitempty"`
	Matches   []result               `json:"matches"`
	Byes      []string               `json:"byes,omitempty"`
	Summary   *protocol.RoundSummary `json:"summary,omitempty"`
}

// A schedule is the content of league://schedule. A long one is truncated; each round is also a separate resource.
type schedule struct {
	LeagueID string  `json:"league_id"`
	Started  bool    `json:"started"`
	Total    int     `json:"total_rounds"`
	Rounds   []round `json:"rounds"`
	Cut      bool    `json:"truncated,omitempty"`
}

// A player is league://players/{id}.
type player struct {
	ID       string             `json:"player_id"`
	Name     string             `json:"display_name"`
	State    string             `json:"state"`
	Standing *protocol.Standing `json:"standing,omitempty"`
	Matches  []result           `json:"matches"`
	Next     *result            `json:"next_match,omitempty"`
}

// momentOf is how far the league is.
func momentOf(l *league.State) moment {
	now := moment{
		State: l.Phase(l.Ordered), Round: l.Round, Rounds: l.TotalRounds(), Recorded: l.Recorded,
		Total: l.TotalMatches(),
	}
	if l.Paused && !l.Completed() {
		now.State = "PAUSED"
	}
	return now
}

// maxShown is the maximum number of matches in a schedule or a player's resource.
const maxShown = 2000

// standings returns the table and the progress of the league.
func standings(l *league.State, t *league.Table) table {
	return table{l.Created.LeagueID, l.Created.GameType, momentOf(l), t.Rows}
}

// wholeSchedule returns as many rounds as fit into one answer, but at least one. Cut reports that there are more.
func wholeSchedule(l *league.State) schedule {
	out := schedule{LeagueID: l.Created.LeagueID, Started: l.Started(), Total: l.TotalRounds(), Rounds: []round{}}
	for n := range l.Schedule.Rounds() {
		if (n+1)*len(l.Players())/2 > maxShown && n > 0 {
			out.Cut = true
			break
		}
		r, _ := roundOf(l, n+1)
		out.Rounds = append(out.Rounds, r)
	}
	return out
}

// roundOf returns round n, counted from 1, which may not have begun; ok is false if the league has no such round.
func roundOf(l *league.State, n int) (out round, ok bool) {
	if n < 1 || n > l.Schedule.Rounds() {
		return out, false
	}
	out = round{Round: n, Status: "SCHEDULED", Matches: []result{}}
	if was, opened := l.RoundView(n); opened {
		out.Status, out.StartedAt, out.Summary = "IN_PROGRESS", stamp(was.StartedAt), &was.Summary
		if !was.CompletedAt.IsZero() {
			out.Status, out.EndedAt = "COMPLETED", stamp(was.CompletedAt)
		}
	}
	out.Byes = l.Schedule.Byes(n)
	for i := range l.Schedule.Round(n) {
		m, _ := matchOf(l, protocol.MatchID(n, i+1))
		out.Matches = append(out.Matches, m)
	}
	return out, true
}

// matchOf returns a match; ok is false for an unknown id. A match of a round that has not begun has only the data
// of the schedule.
func matchOf(l *league.State, id string) (result, bool) {
	m, ok := view.MatchOf(l, id)
	if !ok {
		return result{}, false
	}
	out := resultOf(l, m)
	if l.Matches[id] == nil {
		out.Status = "SCHEDULED"
	}
	return out, true
}

// resultOf returns a match of an opened round. It reveals choices only with the result.
func resultOf(l *league.State, m *league.Match) result {
	out := result{
		ID: m.ID, Round: m.Round, A: m.A, B: m.B, NameA: nameOf(l, m.A), NameB: nameOf(l, m.B),
		Referee: m.Attempt().Referee, Attempt: m.Attempt().Attempt, Status: "PENDING",
	}
	if o := m.Outcome; o != nil {
		out.Status, out.Winner, out.Drawn, out.Choices, out.Forfeits = o.Result.Status, o.Result.Winner, o.Result.Drawn, o.Choices(), o.Result.Forfeits
		out.Referee, out.Attempt, out.Moves, out.Proof, out.Hosted = o.Referee, o.Attempt, o.Moves, m.Proof, m.Hosted
	}
	return out
}

// playerOf returns a player with its place in the table and up to maxShown matches; ok is false for an unknown id.
func playerOf(l *league.State, t *league.Table, id string) (out player, ok bool) {
	a := l.Agents[id]
	if a == nil || a.Role != protocol.RolePlayer {
		return out, false
	}
	out = player{ID: id, Name: a.Name, State: a.State, Matches: []result{}}
	if i, ok := t.Row(id); ok {
		out.Standing = &t.Rows[i]
	}
	for _, m := range l.MatchesOf(id) {
		switch r := resultOf(l, m); {
		case m.Outcome == nil && out.Next == nil:
			out.Next = &r
		case m.Outcome != nil && len(out.Matches) < maxShown:
			out.Matches = append(out.Matches, r)
		}
	}
	for n := l.Round + 1; n <= l.Schedule.Rounds() && out.Next == nil; n++ {
		for i, p := range l.Schedule.Round(n) {
			if p.A == id || p.B == id {
				m, _ := matchOf(l, protocol.MatchID(n, i+1))
				out.Next = &m
			}
		}
	}
	return out, true
}

// nameOf returns an agent's name, or the id itself if it is unknown.
func nameOf(l *league.State, id string) string {
	if a := l.Agents[id]; a != nil {
		return a.Name
	}
	return id
}

func stamp(t time.Time) string { return protocol.Stamp(t) }

// line describes a result in one line.
func (r result) line() string {
	who := fmt.Sprintf("%s: %s (%s) and %s (%s)", r.ID, protocol.Quoted(r.NameA), r.A, protocol.Quoted(r.NameB), r.B)
	switch {
	case r.Winner != "" && r.Status == protocol.TechnicalLoss:
		return fmt.Sprintf("%s: %s wins by forfeit", who, r.Winner)
	case r.Winner != "":
		return fmt.Sprintf("%s: %s wins", who, r.Winner)
	case r.Status == protocol.Draw:
		return who + ": a draw"
	}
	return who + ": nobody wins"
}
