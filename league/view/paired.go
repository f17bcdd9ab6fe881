package view

import (
	"cmp"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A Paired holds what pages show of a league that pairs round by round, besides the table.
type Paired struct {
	Format string `json:"format"`          // such as swiss/1
	Seats  bool   `json:"seats,omitempty"` // the seats matter in the game

	Grid    *Grid    `json:"grid,omitempty"`    // the opponents by round; not of a knockout or a ladder
	Bracket *Bracket `json:"bracket,omitempty"` // of a knockout
}

// Name returns the format for people, such as Swiss.
func (p *Paired) Name() string {
	bare, _, _ := strings.Cut(p.Format, "/")
	words := strings.ReplaceAll(bare, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// Ladder reports whether the ratings are the table.
func (p *Paired) Ladder() bool { return p.Format == "ladder/1" }

// A PairedRow holds what a league that pairs round by round adds to a row of its table.
type PairedRow struct {
	Seed       int      `json:"seed"`
	From       int      `json:"from_round,omitempty"` // of a player that joined late
	Byes       int      `json:"byes"`
	Rests      int      `json:"rests"`
	Credit     int      `json:"credit"` // points for byes and missed rounds
	Buchholz   int      `json:"buchholz"`
	Sonneborn  float64  `json:"sonneborn_berger"`
	Opponents  []string `json:"opponents"` // ids by round, "bye", or "-" without a match; empty in a ladder
	Deviation  int      `json:"rating_deviation,omitempty"`
	LadderRate int      `json:"ladder_rating,omitempty"` // that decides the rank in a ladder

	Next *NextMatch `json:"next_match,omitempty"`
}

// Low and High are the bounds of the interval of a ladder's rating that the player is in with 95 %.
func (p *PairedRow) Low() int  { return p.LadderRate - 2*p.Deviation }
func (p *PairedRow) High() int { return p.LadderRate + 2*p.Deviation }

// LadderRating returns the rating that decides the rank in a ladder; 0 in other formats.
func (r Row) LadderRating() int {
	if r.Paired == nil {
		return 0
	}
	return r.Paired.LadderRate
}

// Score returns the figure of the row that the rank follows from: the points, or the rating in a ladder.
func (r Row) Score() int { return cmp.Or(r.LadderRating(), r.Points) }

// PairedOf returns what a league that pairs round by round shows besides its table; nil for a fixed ring. The rows of the
// table are of the same state. Most is as in [CrosstableOf].
func PairedOf(s *league.State, rows []Row, most int) *Paired {
	name := league.FormatOf(s)
	if name == "" || !s.Started() {
		return nil
	}
	p := &Paired{Format: name, Seats: s.Created.SeatMatters, Bracket: bracketOf(s)}
	if p.Bracket == nil && !p.Ladder() {
		p.Grid = gridOf(s, rows, most)
	}
	return p
}

// addPaired adds seeds, byes, opponents, tie-breaks and ratings to the rows of a league that pairs round by round.
func addPaired(s *league.State, rows []Row) {
	if league.FormatOf(s) == "" || !s.Started() {
		return
	}
	ratings := league.LadderRatings(s)
	buchholz, sonneborn := league.Figures(s, "buchholz"), league.Figures(s, "sonneborn_berger")
	next, byID := previewOf(s), make(map[string]*PairedRow, len(rows))
	for i := range rows {
		row, id := &rows[i], rows[i].PlayerID
		seed, from := league.SeedOf(s, id)
		p := &PairedRow{Seed: seed, Credit: s.CreditOf(id, s.Round), Opponents: []string{}, LadderRate: ratings[id][0],
			Deviation: ratings[id][1], Buchholz: buchholz(&row.Standing), Sonneborn: float64(sonneborn(&row.Standing)) / 2}
		if from > 1 {
			p.From = from
		}
		if ratings == nil {
			p.Opponents = slices.Repeat([]string{"-"}, s.Round)
		}
		for _, m := range s.MatchesOf(id) {
			if ratings == nil {
				p.Opponents[m.Round-1] = m.Opponent(id)
			}
		}
		p.Next = nextOf(s, id, next)
		row.Paired, byID[id] = p, p
	}
	for n := 1; n <= s.Round; n++ {
		round, _ := league.PairedRound(s, n)
		for _, id := range round.Byes {
			if byID[id].Byes++; ratings == nil {
				byID[id].Opponents[n-1] = "bye"
			}
		}
		for _, id := range round.Resting {
			byID[id].Rests++
		}
	}
}

// A NextMatch is the next match of a player that is known.
type NextMatch struct {
	ID       string `json:"match_id"`
	Round    int    `json:"round_id"`
	Opponent Named  `json:"opponent"`
	Playing  bool   `json:"playing"`           // it has a referee
	Preview  bool   `json:"preview,omitempty"` // as it would be paired now
}

// Named is the id of an agent with its name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"display_name"`
}

// NextOf returns the next match of a player: the one in the open round, or one of a later round that is planned, or
// between two rounds that of a preview; nil if none is known.
func NextOf(s *league.State, id string) *NextMatch { return nextOf(s, id, previewOf(s)) }

func nextOf(s *league.State, id string, next league.RoundPaired) *NextMatch {
	a := s.Agents[id]
	if !s.Started() || s.Completed() || a == nil || a.State == protocol.AgentShutdown {
		return nil
	}
	for _, m := range s.MatchesOf(id) {
		if m.Outcome == nil {
			return &NextMatch{ID: m.ID, Round: m.Round, Opponent: nameOf(s, m.Opponent(id)), Playing: len(m.Assigned) > 0}
		}
	}
	for round := s.Round + 1; round <= s.Schedule.Rounds(); round++ {
		if n := nextIn(s, id, round, s.Schedule.Round(round)); n != nil {
			return n
		}
	}
	n := nextIn(s, id, next.Round, next.Pairs)
	if n != nil {
		n.Preview = true
	}
	return n
}

// nextIn returns the match of a player among the pairs of a round that is not open yet.
func nextIn(s *league.State, id string, round int, pairs []league.Pairing) *NextMatch {
	for n, p := range pairs {
		if p.A == id {
			return &NextMatch{ID: protocol.MatchID(round, n+1), Round: round, Opponent: nameOf(s, p.B)}
		} else if p.B == id {
			return &NextMatch{ID: protocol.MatchID(round, n+1), Round: round, Opponent: nameOf(s, p.A)}
		}
	}
	return nil
}

// previewMost is the number of players up to which the next round is previewed for their pages.
const previewMost = 400

// previewOf returns the next round as it would be paired now, between two rounds of a league that is not too large.
func previewOf(s *league.State) (next league.RoundPaired) {
	if len(s.Players()) <= previewMost {
		next, _ = league.Preview(s)
	}
	return next
}

// NextWords returns why a player has no next match yet, or "".
func NextWords(s *league.State, id string) string {
	a := s.Agents[id]
	switch {
	case !s.Started() || s.Completed() || a == nil:
		return ""
	case a.State == protocol.AgentShutdown:
		return "It plays no more: it is out of the league."
	case league.FormatOf(s) == "":
		return "It has no further match."
	}
	for _, stage := range league.Bracket(s) {
		for _, t := range stage {
			if t.Decided && !t.Third && t.Winner != "" && t.Winner != id && (t.A == id || t.B == id) {
				return "It is out of the knockout."
			}
		}
	}
	if s.RoundOpen {
		return "Its next opponent is decided when round " + number(s.Round) + " is over."
	}
	return "Its next opponent is about to be decided."
}

// nameOf returns an agent's name as pages show it, or its id.
func nameOf(s *league.State, id string) Named {
	if a := s.Agents[id]; a != nil {
		return Named{id, cmp.Or(Clean(a.Name, NameMost), id)}
	}
	return Named{id, id}
}
