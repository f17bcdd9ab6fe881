package attack_test

import (
	"testing"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// strikers try to have a result annulled that they lost. The first match of Alpha and Beta has been played; in the
// second, Alpha has been asked for its choice.
func strikers() family {
	alpha := func(a *arena) *seated { return a.cast["alpha"].(*seated) }
	strikes := func(match string, more message) func(a *arena) answer {
		return func(a *arena) answer {
			what := message{"match_id": match, "reason": "I lost"}
			for k, v := range more {
				what[k] = v
			}
			return a.order(protocol.TypeAnnulMatch, what)
		}
	}
	first := func(*arena) message { return message{"match_id": "R1M1", "reason": "I lost"} }
	heard := func(t protocol.Type) func(a *arena) string {
		return func(a *arena) string { return alpha(a).newest(t).Head().AuthToken }
	}
	rows := append(usurped(protocol.TypeAnnulMatch, first,
		loot{"the token of a player", func(a *arena) string { return alpha(a).token() }},
		loot{"the token of the referee", func(a *arena) string { return a.identity("Referee Alpha").Token }},
		loot{"a captured M", heard(protocol.TypeGameInvitation)},
		loot{"a captured L", heard(protocol.TypeRoundAnnouncement)},
	),
		attack{name: "a match that is being played", want: "E006", try: strikes("R2M1", nil)},
		attack{name: "a match that there is not", want: "E006", try: strikes("R9M9", nil)},
		attack{name: "a match of another league", want: "E026", try: strikes("R1M1", message{"league_id": "another"})},
		attack{name: "none of these has struck anything", want: "", try: func(a *arena) answer {
			if m := a.state().Matches["R1M1"]; m.Annulled != 0 || m.Outcome == nil {
				a.t.Errorf("R1M1 was struck %d times", m.Annulled)
			}
			return answer{}
		}},
		attack{name: "the organiser strikes it, and somebody once more", want: "E006", told: "a result was annulled", listed: true,
			try: func(a *arena) answer {
				if got := strikes("R1M1", nil)(a); got.Code != "" {
					a.t.Errorf("the organiser's order is refused: %s", got.text)
				}
				return strikes("R1M1", nil)(a)
			}},
	)
	return family{name: "strikers", scene: secondMatch, attacks: rows, after: func(a *arena) {
		a.t.Helper()
		close(alpha(a).gate)
		s := a.finish(0)
		honest(a.t, s)
		if m := s.Matches["R1M1"]; m.Annulled != 1 || m.Outcome.Attempt != 2 {
			a.t.Errorf("R1M1 was struck %d times and counts in attempt %d, want once and 2", m.Annulled, m.Outcome.Attempt)
		}
		if got := strikes("R1M1", nil)(a); got.Code != protocol.LeagueAlreadyComplete.Code {
			a.t.Errorf("after the end: got %q, want %s: %s", got.Code, protocol.LeagueAlreadyComplete.Code, got.text)
		}
		a.verify(0)
	}}
}

// secondMatch returns a duel whose first match has been played. Alpha withholds its answers.
func secondMatch(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{cycles: 2, timeout: "300"})
	alpha := a.seat("Alpha", "even", true)
	a.seat("Beta", "odd", false)
	a.cast["alpha"] = alpha
	a.referee("Referee Alpha", "--max-matches", "8")
	a.start()
	alpha.gate <- struct{}{} // one answer
	rpctest.Eventually(t, "Alpha is asked in the second match", func() bool {
		m := alpha.newest(protocol.TypeChooseParityCall)
		return m != nil && m.Head().MatchID == "R2M1"
	})
	return a
}
