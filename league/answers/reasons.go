package answers

import (
	"fmt"

	"agentleague/format"
	"agentleague/league"
	"agentleague/protocol"
)

// explained adds the reasons of the pairings of a round, or returns the next round as it would be paired now.
func explained(s *league.State, round int, rounds []protocol.ScheduledRound) []protocol.ScheduledRound {
	e, opened := league.PairedRound(s, round)
	if !opened {
		if e, opened = league.Preview(s); !opened || e.Round != round {
			return rounds
		}
		next := scheduledRound(s, round, e.Pairs)
		next.Byes, next.Resting, next.Stage, next.Leg, next.OfLegs, next.Preview = e.Byes, e.Resting, e.Stage, e.Leg, e.OfLegs, true
		rounds = []protocol.ScheduledRound{next}
	}
	for i, r := range league.Reasons(s, e) {
		if len(rounds) == 1 && i < len(rounds[0].Matches) {
			rounds[0].Matches[i].Why = reasonWords(r)
		}
	}
	return rounds
}

// points returns a number of points in words.
func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}

// reasonWords returns the reason of a pairing as a sentence without a full stop.
func reasonWords(r format.Reason) (words string) {
	switch r.Why {
	case format.Planned:
		words = "the plan of the round robin"
	case format.CatchUp:
		words = "they have a match left against each other"
	case format.ScoreGroup:
		words = "both have " + points(r.Points[0])
	case format.Floated:
		words = fmt.Sprintf("%d and %s: no better opponent was left", r.Points[0], points(r.Points[1]))
	case format.Bracket:
		words = fmt.Sprintf("place %d of the bracket", r.Slot)
	case format.ThirdPlace:
		words = "the losers of the semi-finals"
	case format.NextLeg:
		words = "the next leg, with swapped seats"
	case format.ExtraLeg:
		words = "an extra leg: they were level"
	case format.NearRating:
		words = fmt.Sprintf("near ratings, %d apart", r.Distance)
	case format.NewPlayer:
		words = "a player with few matches"
	case format.Unpaired:
		words = "no opponent was left"
	}
	if r.Rematch > 0 {
		words += fmt.Sprintf("; they met in round %d, which could not be avoided", r.Rematch)
	}
	return words
}
