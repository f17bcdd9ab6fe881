package attack_test

import (
	"encoding/json"
	"slices"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// guests are native referees of unknown operators that lie. Each has one match of Alpha, who plays even, and Beta, who
// plays odd; both are native. If the lie is refused, the guest then reports the truth.
func guests() family {
	draw := func(e *evil) protocol.ReportedResult {
		return protocol.ReportedResult{Details: protocol.ReportDetails{Status: protocol.Draw, DrawnNumber: protocol.Present(4),
			Choices: map[string]json.RawMessage{
				e.start.PlayerA.ID: json.RawMessage(`"even"`), e.start.PlayerB.ID: json.RawMessage(`"even"`),
			}}}
	}
	// lying returns an attack in which the guest reports something other than the moves that it has collected.
	lying := func(lie func(e *evil, true *protocol.MatchMovesReport) answer) func(a *arena) answer {
		return func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			r := e.collect()
			got := lie(e, r)
			e.repents(r)
			return got
		}
	}
	said := func(e *evil, m protocol.Message) answer { _, got := e.tells(m); return got }
	rows := []attack{
		{name: "swaps the choices", want: "E002", try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
			return said(e, swapped(*r))
		})},
		{name: "swaps the choices and the signatures", variant: true, want: "E002",
			try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
				lie, a, b := swapped(*r), e.start.PlayerA.ID, e.start.PlayerB.ID
				lie.Signed = map[string]protocol.SignedAnswers{a: r.Signed[b], b: r.Signed[a]}
				return said(e, lie)
			})},
		{name: "shows moves without signatures", variant: true, want: "E002", try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
			lie := *swapped(*r)
			lie.Signed = nil
			return said(e, &lie)
		})},
		{name: "shows one player's move to learn the draw", want: "E002",
			try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
				lie := *r
				lie.Moves, lie.Signed = r.Moves[:1], map[string]protocol.SignedAnswers{
					r.Moves[0].PlayerID: r.Signed[r.Moves[0].PlayerID],
				}
				return said(e, &lie)
			})},
		{name: "shows the moves of a match that it has not got", want: "E006",
			try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
				lie := *r
				lie.MatchID = "R7M1"
				return said(e, &lie)
			})},
		{name: "invents a winner", want: "E007", try: lying(func(e *evil, _ *protocol.MatchMovesReport) answer {
			return e.claims(protocol.ReportedResult{
				Winner: &e.start.PlayerB.ID, Details: protocol.ReportDetails{Status: protocol.Win},
			}, nil)
		})},
		{name: "invents a draw", variant: true, want: "E007", try: lying(func(e *evil, _ *protocol.MatchMovesReport) answer {
			return e.claims(draw(e), nil)
		})},
		{name: "invents an illegal answer", want: "E002", told: "signs its answers",
			try: lying(func(e *evil, _ *protocol.MatchMovesReport) answer {
				return e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E004"), nil)
			})},
		{name: "invents an illegal answer out of a signed one", variant: true, want: "E002",
			try: lying(func(e *evil, r *protocol.MatchMovesReport) answer {
				return e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E004"), func(m *protocol.MatchResultReport) {
					m.Signed = r.Signed
				})
			})},
		{name: "promises another draw to the players", want: "E002", verify: 3, try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			got := said(e, e.collectWith(protocol.SHA256("mine")))
			e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E001"), nil) // nothing that it has can be true
			return got
		}},
		{name: "reports twice differently", want: "E025", try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			r := e.collect()
			e.repents(r)
			return e.claims(draw(e), nil)
		}},
		{name: "shows other moves afterwards", want: "E025", try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			r := e.collect()
			e.repents(r)
			lie := swapped(*r)
			return said(e, lie)
		}},
		{name: "asks twice with a false E004", want: "", try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			r := e.collect()
			for _, p := range e.players() {
				if _, err := e.call(p, &protocol.GameError{
					Envelope: protocol.Envelope{MessageType: protocol.TypeGameError}, PlayerID: p.ID, AffectedPlayer: p.ID,
					ErrorCode: "E004", ErrorName: "INVALID_PARITY_CHOICE", ErrorDescription: "made up", Attempt: e.start.Attempt,
				}); err != nil {
					a.t.Error(err)
				}
				again := e.ask(p)
				if i := slices.IndexFunc(r.Moves, func(m protocol.PlayedMove) bool {
					return m.PlayerID == p.ID
				}); string(again.ParityChoice) != string(r.Moves[i].Move) || again.Proof.Signature != r.Signed[p.ID].Signature {
					a.t.Errorf("%s answers %s, and again %s", p.ID, r.Moves[i].Move, again.ParityChoice)
				}
			}
			e.repents(r)
			return answer{}
		}},
		{name: "tells two players different ends", want: "", proof: league.Proven,
			told: "protests against the result", try: func(a *arena) answer {
				e := a.evil(nil)
				e.gets()
				reply, got := e.tells(e.collect())
				ack, ok := reply.(*protocol.MatchMovesAck)
				if !ok {
					a.t.Fatal(got.text)
				}
				for _, p := range e.players() {
					lie := ack.Result
					lie.Winner, lie.Details.Status = &p.ID, protocol.Win
					lie.Details.Choices = map[string]json.RawMessage{p.ID: json.RawMessage(`"neither"`)}
					e.over(p, lie, ack.Fairness)
				}
				return answer{}
			}},
		{name: "knows nothing of the draw before the moves are shown", want: "",
			try: lying(func(e *evil, _ *protocol.MatchMovesReport) answer {
				if e.start.DrawKey != "" || e.start.DrawCommitment == "" {
					e.a.t.Errorf("a guest is ordered with the key %q and the promise %q", e.start.DrawKey, e.start.DrawCommitment)
				}
				return answer{}
			})},
		{name: "falls silent when it knows the draw", want: "", try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			_, got := e.tells(e.collect())
			return got
		}},
		{name: "invents a timeout where nobody else can look", want: "", verify: 3, proof: league.Unproven,
			try: func(a *arena) answer {
				e := a.evil(nil)
				e.gets()
				return e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E001"), nil)
			}},
		{name: "invents a timeout of a player that answered", want: "", verify: 3, proof: league.Disputed,
			told: "protests against the result", try: func(a *arena) answer {
				e := a.evil(nil)
				e.gets()
				e.collect()
				lie := forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E001")
				got := e.claims(lie, nil)
				e.over(e.start.PlayerA, lie, protocol.Fairness{})
				return got
			}},
	}
	rows = append(rows, attack{name: "invents a timeout where the organiser's referee can look", want: "",
		proof: league.Proven, try: func(a *arena) answer {
			e := a.evil(nil)
			e.gets()
			a.referee("Referee Alpha") // which comes when the match is given already
			return e.claims(forfeit(e.start.PlayerA.ID, e.start.PlayerB.ID, "E001"), nil)
		}})
	return family{name: "guests", scene: duel, each: true, attacks: rows, after: duelEnds}
}

// duel is a league of Alpha and Beta that waits for a referee and its start.
func duel(t *testing.T, strict bool) *arena {
	return seatTwo(newArena(t, strict, settings{cycles: 2}))
}

// oneMatch is a duel that ends with its first match.
func oneMatch(t *testing.T, strict bool) *arena { return seatTwo(newArena(t, strict, settings{})) }

func seatTwo(a *arena) *arena {
	a.cast["alpha"], a.cast["beta"] = a.seat("Alpha", "even", false), a.seat("Beta", "odd", false)
	return a
}

// duelEnds checks that the recorded choices are those that Alpha and Beta made, and that both received the end.
func duelEnds(a *arena) {
	a.t.Helper()
	if free, ok := a.cast["free"].(func()); ok {
		free()
	}
	rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
	alpha, beta := a.cast["alpha"].(*seated), a.cast["beta"].(*seated)
	s := a.state()
	for id, m := range s.Matches {
		if m.Outcome.Result.Status == protocol.TechnicalLoss {
			if m.Proof == league.Proven {
				a.t.Errorf("a forfeit is %s: %+v", m.Proof, m.Outcome)
			}
			continue
		}
		for player, want := range map[string]string{alpha.ID(): `"even"`, beta.ID(): `"odd"`} {
			if got := string(m.Outcome.Result.Choices[player]); got != want {
				a.t.Errorf("%s: %s is said to have chosen %s, and chose %s", id, player, got, want)
			}
		}
		for _, p := range []*seated{alpha, beta} {
			rpctest.Eventually(a.t, p.ID()+" hears the end of "+id, func() bool { return p.heardEnd(id) })
		}
		if m.Proof != league.Proven {
			a.t.Errorf("%s is %s, want proven", m.ID, m.Proof)
		}
	}
}
