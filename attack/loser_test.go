package attack_test

import (
	"context"
	"testing"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// losers are players that do not like how a match ends.
func losers() family {
	protests := func(who, match string) func(a *arena) answer {
		return func(a *arena) answer {
			a.referee("Referee Alpha")
			a.start()
			rpctest.Eventually(a.t, match+" has a result", func() bool { m := a.state().Matches[match]; return m != nil && m.Outcome != nil })
			p := a.cast[who].(*seated)
			return post(a.t, a.url, stolen(a.t, p.token(), forged(protocol.TypeMatchProtest, "player:"+p.ID(), "", message{
				"round_id": 1, "match_id": match, "player_id": p.ID(), "attempt": 1, "what": protocol.ProtestMoves,
				"detail": "I chose the other one",
			})))
		}
	}
	return family{name: "losers", scene: duel, each: true, after: losersEnd, lenient: true, attacks: []attack{
		{name: "does not acknowledge the end", want: "", proof: league.Proven, try: func(a *arena) answer {
			a.seatWith("Sore", "odd", false, func(n *rpc.Node) {
				n.Handle(protocol.TypeGameOver, func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
					return nil, protocol.Errorf(protocol.OutOfTurn, "I did not lose")
				})
			})
			a.referee("Referee Alpha")
			a.start()
			return answer{}
		}},
		{name: "signs a past that nobody was told, which remains", verify: 1, proof: league.Proven,
			try: func(a *arena) answer {
				mine := protocol.SHA256("another past")
				past := player.Witness{Seal: a.state().Seal, PlayerID: "P03"}
				past.Heads = []player.Head{{What: player.HeadStarted, Head: mine}}
				for round := range 8 {
					past.Heads = append(past.Heads, player.Head{What: player.HeadRound, Round: round + 1, Head: mine})
				}
				sore, err := a.applies("Sore", "odd", player.Options{ID: "P03", Witness: past}, nil)
				if err != nil || sore.ID() != "P03" {
					a.t.Fatalf("Sore is %s: %v", sore.ID(), err)
				}
				close(sore.gate)
				a.referee("Referee Alpha")
				a.start()
				return answer{}
			}},
		{name: "protests falsely", want: "", told: "protests against the result", proof: league.Proven,
			try: protests("alpha", "R1M1")},
	}}
}

// judges are the organiser's own referees, which have the draw key and do not report the answers that players signed.
// Another referee then gets the match. `league verify` detects a forged signature.
func judges() family {
	judging := func(lie func(e *evil, r *protocol.MatchMovesReport) answer) func(a *arena) answer {
		return func(a *arena) answer {
			e := a.evil(a.secret())
			a.referee("Referee Alpha")
			e.gets()
			return lie(e, e.collect())
		}
	}
	return family{name: "judges", scene: oneMatch, each: true, after: losersEnd, lenient: true, attacks: []attack{
		{name: "the organiser's referee leaves a signature out", want: "E002", told: "signs its answers",
			proof: league.Proven, try: judging(func(e *evil, r *protocol.MatchMovesReport) answer {
				return e.claims(e.decided(r), func(m *protocol.MatchResultReport) {
					m.Moves, m.Signed = r.Moves, map[string]protocol.SignedAnswers{e.start.PlayerA.ID: r.Signed[e.start.PlayerA.ID]}
				})
			})},
		{name: "the organiser's referee leaves all signatures out", want: "E002", told: "signs its answers",
			proof: league.Proven, try: judging(func(e *evil, r *protocol.MatchMovesReport) answer {
				return e.claims(e.decided(r), func(m *protocol.MatchResultReport) { m.Moves = r.Moves })
			})},
		{name: "the organiser's referee swaps the choices", want: "E002", proof: league.Proven,
			try: judging(func(e *evil, r *protocol.MatchMovesReport) answer {
				lie := swapped(*r)
				return e.claims(e.decided(lie), func(m *protocol.MatchResultReport) { m.Moves, m.Signed = lie.Moves, r.Signed })
			})},
		{name: "the organiser's referee invents an illegal answer", want: "E002", told: "signs its answers",
			proof: league.Proven, try: judging(func(e *evil, _ *protocol.MatchMovesReport) answer {
				return e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E004"), nil)
			})},
		{name: "the organiser's referee forges the signatures", want: "", verify: 1,
			try: judging(func(e *evil, r *protocol.MatchMovesReport) answer {
				lie := swapped(*r)
				return e.claims(e.decided(lie), func(m *protocol.MatchResultReport) {
					m.Moves, m.Signed = lie.Moves, map[string]protocol.SignedAnswers{}
					for _, mv := range lie.Moves {
						m.Signed[mv.PlayerID] = protocol.SignedAnswers{
							Answers:   []protocol.SignedAnswer{{Move: protocol.MoveText(mv.Move)}},
							Signature: r.Signed[mv.PlayerID].Signature, Head: r.Signed[mv.PlayerID].Head,
						}
					}
				})
			})},
	}}
}

// withholders do not answer at all: they lose, and nothing else changes.
func withholders() family {
	return family{name: "withholders", each: true, lenient: true, attacks: []attack{
		{name: "withholds its answer", want: "", proof: league.Judged, try: func(a *arena) answer {
			a.referee("Referee Alpha")
			a.start()
			return answer{}
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{timeout: "3"})
		silent := func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
			<-ctx.Done() // its referee has given up
			return nil, context.Cause(ctx)
		}
		a.seatWith("Alpha", "even", false, func(n *rpc.Node) { n.Handle(protocol.TypeChooseParityCall, silent) })
		a.seat("Beta", "odd", false)
		return a
	}, after: func(a *arena) {
		rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
		s, alpha := a.state(), a.idOf("Alpha")
		for id, m := range s.Matches {
			if r := m.Outcome.Result; r.For(alpha) != protocol.TechnicalLoss || len(r.Choices) > 1 ||
				r.Forfeits[alpha] != "E001" {
				a.t.Errorf("%s: got %+v, want it lost by Alpha for its silence", id, r)
			}
		}
	}}
}

// losersEnd checks that every match was played by Alpha and Beta, whatever was reported about it.
func losersEnd(a *arena) {
	a.t.Helper()
	if free, ok := a.cast["free"].(func()); ok {
		free()
	}
	rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
}

// token returns the player's T, for a player that sends its own requests.
func (s *seated) token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := s.kept.Memberships
	return places[len(places)-1].Token
}
