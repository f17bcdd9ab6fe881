package league

import (
	"math"
	"sync"

	"agentleague/protocol"
	"agentleague/rating"
)

// RatedMatches is how many matches a league may have for its players to be
// rated. In a larger one each closed round would cost seconds.
const RatedMatches = 50_000

// RatingsOf rates the players of a league by the model of Bradley and Terry, on Elo's scale with the mean at 1500.
// Only closed rounds count, so that ratings change once a round, and only matches that were played to their end: a
// forfeit shows that a player did not answer, not how strong it is. Ratings never decide ranks.
func RatingsOf(s *State) Ratings {
	if s.Schedule.Matches() > RatedMatches {
		return nil
	}
	number := make(map[string]int, len(s.Schedule.Players))
	for i, id := range s.Schedule.Players {
		number[id] = i
	}
	var meetings []rating.Meeting
	for _, m := range s.rated() {
		meetings = append(meetings, m.meeting(number))
	}
	out := Ratings{}
	for i, r := range rating.BradleyTerry(len(number), meetings) {
		if r.Games > 0 {
			out[s.Schedule.Players[i]] = protocol.Rating{
				Rating: int(math.Round(r.Rating)), Low: bound(r.Low), High: bound(r.High), Matches: r.Games,
			}
		}
	}
	return out
}

// bound returns an end of an interval, rounded; nil: there is none.
func bound(x float64) *int {
	if rating.Bound(x) == nil {
		return nil
	}
	whole := int(math.Round(x))
	return &whole
}

// A bout is one observation of two players: a match, or the two in which they
// swapped seats.
type bout struct {
	a, b   string
	points float64 // of a
	games  int
}

func (o bout) meeting(number map[string]int) rating.Meeting {
	return rating.Meeting{A: number[o.a], B: number[o.b], Points: o.points, Games: o.games}
}

// rated lists the results that ratings are computed from, each match paired with the one in which the seats were
// swapped.
func (r *rounds) rated() (out []bout) {
	waiting := map[Pairing]int{} // where a match stands that has no counterpart yet
	for _, matches := range r.byRound[:r.closedRounds()] {
		for _, m := range matches {
			points, counts := m.ratedPoints()
			if !counts {
				continue
			}
			if i, ok := waiting[Pairing{m.B, m.A}]; ok {
				out[i].points, out[i].games = out[i].points+1-points, 2
				delete(waiting, Pairing{m.B, m.A})
				continue
			}
			waiting[Pairing{m.A, m.B}] = len(out)
			out = append(out, bout{m.A, m.B, points, 1})
		}
	}
	return out
}

// A RatingCache makes the ratings of a league once for each round that is
// closed. The zero value is ready. It may be used by many at once.
type RatingCache struct {
	mu   sync.Mutex
	seen ratedAt
	had  Ratings
}

// ratedAt is all that the ratings of a league depend on.
type ratedAt struct{ rounds, annulled, again int }

// Of returns the ratings of a league, always the same one, as it stands.
func (c *RatingCache) Of(s *State) Ratings {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := (ratedAt{s.closedRounds(), s.annulled, len(s.again)}); c.had == nil || now != c.seen {
		c.seen, c.had = now, RatingsOf(s)
		if c.had == nil {
			c.had = Ratings{}
		}
	}
	return c.had
}
