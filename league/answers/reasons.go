package answers

import (
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
			rounds[0].Matches[i].Why = r.Words()
		}
	}
	return rounds
}
