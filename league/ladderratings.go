package league

import (
	"math"

	"agentleague/format"
	"agentleague/rating"
)

// The ladder format pairs players by their Glicko-2 ratings, with each closed round as one rating period. The last bits
// of the computed floats depend on the processor, so pairings are decided by the rounded ratings in the log.

// ratesPairings reports whether the format pairs by current ratings.
func ratesPairings(s *State) bool { return s.rules != nil && s.rules.Format == "ladder/1" }

// ladderRatings returns the rating and deviation of each player; nil if the format does not use them.
func ladderRatings(s *State) map[string][2]int { return ladderRatingsBefore(s, s.Round+1) }

// ladderRatingsBefore is ladderRatings for the given round: the ratings after all rounds before it.
func ladderRatingsBefore(s *State, round int) map[string][2]int {
	if !ratesPairings(s) {
		return nil
	}
	now := make(map[string]rating.Glicko, len(s.field))
	for _, id := range s.field {
		now[id] = rating.NewGlicko()
	}
	for _, matches := range s.byRound[:min(round-1, s.closedRounds())] {
		games := map[string]rating.Game{}
		for _, m := range matches {
			if points, counts := m.ratedPoints(); counts {
				games[m.A], games[m.B] = rating.Game{Opponent: now[m.B], Points: points}, rating.Game{Opponent: now[m.A], Points: 1 - points}
			}
		}
		for id, game := range games { // a pause does not widen the deviation: rounds may be seconds apart
			now[id] = now[id].After([]rating.Game{game})
		}
	}
	out := make(map[string][2]int, len(now))
	for id, g := range now {
		out[id] = [2]int{int(math.Round(g.Rating)), int(math.Round(g.Deviation))}
	}
	return out
}

// ratingsIn returns the ratings and deviations of the players in f, as the log stores them.
func ratingsIn(f format.Field) map[string][2]int {
	out := make(map[string][2]int, len(f.Players))
	for _, p := range f.Players {
		out[p.ID] = [2]int{p.Rating, p.Deviation}
	}
	return out
}
