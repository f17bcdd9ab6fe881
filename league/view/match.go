package view

import (
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// An Ending is the outcome of a match for one of its players.
type Ending struct {
	Letter string `json:"result"`         // W, D, L or F
	Code   string `json:"code,omitempty"` // of a forfeit
	Match  string `json:"match_id"`
}

// Word returns the ending as a word.
func (e Ending) Word() string {
	return map[string]string{"W": "won", "D": "draw", "L": "lost", "F": "lost by forfeit"}[e.Letter]
}

// Letter returns the letter for an outcome such as WIN, or "" for an unknown one.
func Letter(outcome string) string {
	return map[string]string{protocol.Win: "W", protocol.Draw: "D", protocol.Loss: "L", protocol.TechnicalLoss: "F"}[outcome]
}

// EndingOf returns the outcome of a finished match for one of its players.
func EndingOf(m *league.Match, id string) Ending {
	r := m.Outcome.Result
	return Ending{Letter(r.For(id)), r.Forfeits[id], m.ID}
}

// Finished lists up to most of a player's newest finished matches, newest first.
func Finished(s *league.State, id string, most int) (out []*league.Match) {
	for _, m := range slices.Backward(s.MatchesOf(id)) {
		if len(out) == most {
			break
		}
		if m.Outcome != nil {
			out = append(out, m)
		}
	}
	return out
}

// Form lists the outcomes of up to most of a player's newest matches, oldest first.
func Form(s *league.State, id string, most int) []Ending {
	out := []Ending{}
	for _, m := range slices.Backward(Finished(s, id, most)) {
		out = append(out, EndingOf(m, id))
	}
	return out
}

// A RoundNow is a round and its matches; those without a result come first.
type RoundNow struct {
	Round   int        `json:"round"`
	Open    bool       `json:"open"`
	Done    int        `json:"done"`
	Total   int        `json:"total"`
	Matches []MatchRow `json:"matches"`
	More    int        `json:"more"` // that are not listed
	Bye     string     `json:"bye,omitempty"`
	ByeName string     `json:"bye_name,omitempty"`

	MoreByes int `json:"-"` // byes of further players
}

// matchesFirst is the maximum number of matches of a round that the live page lists.
const matchesFirst = 12

// Some are the matches that the live page lists.
func (r *RoundNow) Some() []MatchRow { return r.Matches[:min(len(r.Matches), matchesFirst)] }

// Others returns the number of matches that Some leaves out.
func (r *RoundNow) Others() int { return r.Total - len(r.Some()) }

// A MatchRow is a match in a line.
type MatchRow struct {
	ID      string     `json:"match_id"`
	Round   int        `json:"round"`
	A       Contestant `json:"a"`
	B       Contestant `json:"b"`
	Referee string     `json:"referee_id,omitempty"`
	Attempt int        `json:"attempt,omitempty"`
	Done    bool       `json:"done"`
	EndedAt time.Time  `json:"ended_at,omitzero"`

	Proof     string `json:"proof,omitempty"`     // the basis of the result
	Hosted    bool   `json:"hosted,omitempty"`    // a player runs in the manager's process
	Contested bool   `json:"contested,omitempty"` // a player or another referee contests the result
}

// Marks are how the result is marked.
func (r MatchRow) Marks() []*Badge { return BadgesOf(r.Proof, r.Hosted) }

// A Contestant is one of the two in a match.
type Contestant struct {
	ID     string `json:"player_id"`
	Name   string `json:"display_name"`
	Result string `json:"result,omitempty"` // W, D, L or F
	Points int    `json:"points"`
}

// roundNow returns the newest opened round, or nil before the first. Unfinished matches come first, since visitors
// follow those.
func roundNow(s *league.State) *RoundNow {
	if s.Round == 0 {
		return nil
	}
	all := s.InRound(s.Round)
	r := &RoundNow{
		Round: s.Round, Open: s.RoundOpen, Total: len(all), Matches: []MatchRow{},
	}
	if byes := s.Schedule.Byes(s.Round); len(byes) > 0 {
		r.Bye, r.ByeName, r.MoreByes = byes[0], Clean(s.Agents[byes[0]].Name, NameMost), len(byes)-1
	}
	for _, done := range []bool{false, true} {
		for _, m := range all {
			switch {
			case (m.Outcome != nil) != done:
			case len(r.Matches) < roundMost:
				r.Matches = append(r.Matches, newMatchRow(s, m))
			default:
				r.More++
			}
		}
	}
	for _, m := range all {
		if m.Outcome != nil {
			r.Done++
		}
	}
	return r
}

// newest returns up to newestMost matches with the newest results, newest first.
func newest(s *league.State) []MatchRow {
	out := []MatchRow{}
	for _, m := range s.Newest() {
		if len(out) < newestMost {
			out = append(out, newMatchRow(s, m))
		}
	}
	return out
}

// newMatchRow returns a match as a row.
func newMatchRow(s *league.State, m *league.Match) MatchRow {
	side := func(id string) Contestant {
		c := Contestant{ID: id, Name: Clean(s.Agents[id].Name, NameMost)}
		if m.Outcome != nil {
			c.Result, c.Points = EndingOf(m, id).Letter, m.Points(id, s.Created.Scoring)
		}
		return c
	}
	return MatchRow{ID: m.ID, Round: m.Round, A: side(m.A), B: side(m.B), Referee: m.Attempt().Referee,
		Attempt: m.Attempt().Attempt, Done: m.Outcome != nil, EndedAt: m.EndedAt,
		Proof: m.Proof, Hosted: m.Hosted, Contested: len(m.Against) > 0}
}

// MatchOf returns a match of any round of a started league; ok is false for an unknown id. A match of an unopened
// round has only the data of the schedule.
func MatchOf(s *league.State, id string) (*league.Match, bool) {
	if m := s.Matches[id]; m != nil {
		return m, true
	}
	p, round, ok := league.FindMatch(s.Schedule, id)
	return &league.Match{ID: id, Round: round, A: p.A, B: p.B}, ok
}
