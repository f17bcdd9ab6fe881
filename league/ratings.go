package league

import (
	"math"
	"sync"

	"agentleague/protocol"
	"agentleague/rating"
)

// RatedMatches is the maximum number of matches of a league with ratings. In a larger one the ratings would take
// seconds for each closed round.
const RatedMatches = 50_000

// ratingsOf rates the players of a league by the Bradley-Terry model, on Elo's scale with the mean at 1500. It
// uses only closed rounds, so that ratings change once a round, and no forfeits, which do not show strength.
// Ratings do not affect ranks.
func ratingsOf(s *State) Ratings { return RatingsAfter(s, s.closedRounds()) }

// RatingsAfter returns the ratings of a league as they were when closed rounds were closed; nil if the league is too
// large for ratings.
func RatingsAfter(s *State, closed int) Ratings {
	if ratesPairings(s) {
		return ladderTable(s, closed)
	}
	if s.TotalMatches() > RatedMatches {
		return nil
	}
	players := s.field
	number := make(map[string]int, len(players))
	for i, id := range players {
		number[id] = i
	}
	var meetings []rating.Meeting
	for _, m := range s.ratedObservations(min(closed, s.closedRounds())) {
		meetings = append(meetings, m.meeting(number))
	}
	out := Ratings{}
	for i, r := range rating.BradleyTerry(len(number), meetings) {
		if r.Games > 0 {
			out[players[i]] = protocol.Rating{
				Rating: int(math.Round(r.Rating)), Matches: r.Games,
				Low: roundedBound(r.Low), High: roundedBound(r.High),
			}
		}
	}
	return out
}

// roundedBound returns a bound of an interval, rounded, or nil for an infinite one.
func roundedBound(x float64) *int {
	if rating.Bound(x) == nil {
		return nil
	}
	whole := int(math.Round(x))
	return &whole
}

// An Observation is one observation for the ratings: a match, or two matches with swapped seats.
type Observation struct {
	A, B   string
	Points float64 // of A
	Games  int
}

func (o Observation) meeting(number map[string]int) rating.Meeting {
	return rating.Meeting{A: number[o.A], B: number[o.B], Points: o.Points, Games: o.Games}
}

// RatedObservations lists the matches of the closed rounds that count for ratings.
func RatedObservations(s *State) []Observation { return s.ratedObservations(s.closedRounds()) }

// ratedObservations lists the matches of the first closed rounds that count for ratings. Two matches of the same
// players with swapped seats are combined.
func (r *rounds) ratedObservations(closed int) (out []Observation) {
	waiting := map[Pairing]int{} // where a match stands that has no counterpart yet
	for _, matches := range r.byRound[:closed] {
		for _, m := range matches {
			points, counts := m.ratedPoints()
			if !counts {
				continue
			}
			if i, ok := waiting[Pairing{A: m.B, B: m.A}]; ok {
				out[i].Points, out[i].Games = out[i].Points+1-points, 2
				delete(waiting, Pairing{A: m.B, B: m.A})
				continue
			}
			waiting[Pairing{A: m.A, B: m.B}] = len(out)
			out = append(out, Observation{m.A, m.B, points, 1})
		}
	}
	return out
}

// A RatingCache caches the ratings of a league until the next closed round or annulment. The zero value is ready
// to use. It is safe for concurrent use.
type RatingCache struct {
	mu   sync.Mutex
	seen ratedAt
	had  Ratings
}

// ratedAt is the cache key of a [RatingCache]: it changes whenever the ratings of a league may change.
type ratedAt struct{ rounds, annulled, again int }

// Of returns the current ratings of a league. Every call must be for the same league.
func (c *RatingCache) Of(s *State) Ratings {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := (ratedAt{s.closedRounds(), s.annulled, len(s.again)}); c.had == nil || now != c.seen {
		c.seen, c.had = now, ratingsOf(s)
		if c.had == nil {
			c.had = Ratings{}
		}
	}
	return c.had
}
