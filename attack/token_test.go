package attack_test

import (
	"crypto/ed25519"
	"path/filepath"
	"strings"

	"agentleague/protocol"
)

// thieves have a token of another agent or for another purpose: the agents' T, the manager's L, a match's M.
func thieves() family {
	query := func(what string) message { return message{"query_type": what, "query_params": message{}} }
	return family{name: "thieves", scene: midgame, after: goesOn, attacks: []attack{
		// T
		{name: "no T", want: "E011", try: func(a *arena) answer {
			return post(a.t, a.url, forged(protocol.TypeLeagueQuery, "player:"+a.stand().alpha.ID(), "",
				query(protocol.QueryNextMatch)))
		}},
		{name: "an invented T", want: "E012", try: func(a *arena) answer {
			who := "player:" + a.stand().alpha.ID()
			return post(a.t, a.url, forged(protocol.TypeLeagueQuery, who, protocol.Ticket(nil, leagueID, who, 1),
				query(protocol.QueryNextMatch)))
		}},
		{name: "a foreign player's ticket in the name of a native one", want: "E012", try: func(a *arena) answer {
			ticket := a.register(registration{name: "Gamma", endpoint: a.stand().gamma.url}).Token
			return post(a.t, a.url, forged(protocol.TypeLeagueQuery, "player:"+a.stand().alpha.ID(), ticket,
				query(protocol.QueryNextMatch)))
		}},
		{name: "a native player's stolen T asks where the others are", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, stolen(a.t, a.identity("Delta").Token, forged(protocol.TypeLeagueQuery,
				"player:"+a.identity("Delta").ID, "", query(protocol.QueryPlayerDirectory))))
		}},
		{name: "a native player's stolen T, shown as it is", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, forged(protocol.TypeLeagueQuery, "player:"+a.identity("Delta").ID,
				a.identity("Delta").Token, query(protocol.QueryNextMatch)))
		}},
		{name: "a native player's captured question with other words", want: "E012", try: func(a *arena) answer {
			m := stolen(a.t, a.identity("Delta").Token, forged(protocol.TypeLeagueQuery, "player:"+a.identity("Delta").ID, "",
				query(protocol.QueryNextMatch)))
			m["query_type"] = protocol.QuerySchedule
			return post(a.t, a.url, m)
		}},
		{name: "a referee's captured report with another body", want: "E012", try: func(a *arena) answer {
			who := a.identity("Referee Alpha")
			m := stolen(a.t, who.Token, report("referee:"+who.ID, "", "R1M1", nil))
			m["result"] = message{"winner": a.state().Matches["R1M1"].A, "score": message{}, "details": message{}}
			return post(a.t, a.url, m)
		}},
		{name: "a native player's stolen T reports a result", want: "E013", try: func(a *arena) answer {
			return post(a.t, a.url, stolen(a.t, a.identity("Delta").Token, report("player:"+a.identity("Delta").ID, "", "R1M1", nil)))
		}},
		{name: "a native player's stolen T reports in the referee's name", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, stolen(a.t, a.identity("Delta").Token, report("referee:"+a.identity("Referee Alpha").ID, "", "R1M1", nil)))
		}},
		{name: "the organiser's referee's stolen T reports a result without the key", want: "E002",
			try: func(a *arena) answer {
				who := a.identity("Referee Alpha")
				return post(a.t, a.url, stolen(a.t, who.Token, report("referee:"+who.ID, "", "R1M1",
					message{"winner": a.state().Matches["R1M1"].A})))
			}},
		{name: "the organiser's referee's stolen T reports a forfeit without the key", want: "E002",
			try: func(a *arena) answer {
				who, m := a.identity("Referee Alpha"), a.state().Matches["R1M1"]
				return post(a.t, a.url, stolen(a.t, who.Token, report("referee:"+who.ID, "", "R1M1", message{
					"winner": m.A, "details": message{
						"status": "TECHNICAL_LOSS", "forfeits": message{m.B: "E001"}, "choices": message{},
					},
				})))
			}},
		{name: "the organiser's referee's stolen T shows moves", want: "E007", try: func(a *arena) answer {
			who, m := a.identity("Referee Alpha"), a.state().Matches["R1M1"]
			return post(a.t, a.url, stolen(a.t, who.Token, moves("referee:"+who.ID, "", "R1M1", m.A, m.B)))
		}},
		{name: "the ticket of a referee that has not got the match", want: "E006", try: func(a *arena) answer {
			who := a.register(registration{role: protocol.RoleReferee, name: "Visitor", endpoint: a.stand().visitor.url})
			return post(a.t, a.url, report("referee:"+who.Referee, who.Token, "R1M1", nil))
		}},
		// L
		{name: "a captured L ends the league for a player", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, forged(protocol.TypeLeagueCompleted, protocol.Manager, capturedL(a),
				message{"champion": nil, "final_standings": []any{}}))
		}},
		{name: "a captured L closes the round that it is of", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, forged(protocol.TypeRoundCompleted, protocol.Manager, capturedL(a),
				message{"round_id": 1}))
		}},
		{name: "a captured L announces another round", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, forged(protocol.TypeRoundAnnouncement, protocol.Manager, capturedL(a),
				message{"round_id": 2, "matches": []any{}}))
		}},
		{name: "a captured L tells the end of a match", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, over(a, protocol.Manager, capturedL(a)))
		}},
		{name: "a captured L before another player", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().beta.url, forged(protocol.TypeRoundAnnouncement, protocol.Manager, capturedL(a),
				message{"round_id": 1, "matches": []any{}}))
		}},
		{name: "a captured L announces the same round with another past", want: "", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, forged(protocol.TypeRoundAnnouncement, protocol.Manager, capturedL(a), message{
				"round_id": 1, "matches": []any{}, "byes": []any{}, "head": protocol.SHA256("another past"),
			}))
		}},
		{name: "a captured L announces the same round with a foreign referee, who invites", want: "",
			try: func(a *arena) answer {
				match := a.stand().alpha.newest(protocol.TypeGameInvitation).Head().MatchID
				m := a.state().Matches[match]
				post(a.t, a.stand().alpha.url, forged(protocol.TypeRoundAnnouncement, protocol.Manager, capturedL(a), message{
					"round_id": 1, "byes": []any{}, "matches": []any{message{
						"match_id": match, "game_type": "even_odd", "player_A_id": m.A, "player_B_id": m.B, "referee_id": "REF99",
						"referee_endpoint": a.stand().visitor.url, "attempt": 1,
					}},
				}))
				return post(a.t, a.stand().alpha.url, invitation(a, a.stand().alpha, match, "tok_match_mine"))
			}},
		{name: "a captured L tells a player that is a process another past", want: "", try: func(a *arena) answer {
			delta := a.identity("Delta")
			a.cast["witness"] = filepath.Join(a.root, "data", "players", delta.ID, "witness.json")
			captured := protocol.ManagerToken(delta.Token, leagueID, protocol.TypeRoundAnnouncement, 1)
			said := message{"round_id": 1, "matches": []any{}, "byes": []any{}, "head": protocol.SHA256("another past")}
			return post(a.t, a.agent(protocol.RolePlayer, "Delta").Endpoint,
				forged(protocol.TypeRoundAnnouncement, protocol.Manager, captured, said))
		}},
		// M
		{name: "a captured M invites to another match", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().alpha.url, invitation(a, a.stand().alpha, "R2M1", capturedM(a)))
		}},
		{name: "a captured M invites to another attempt", want: "E012", try: func(a *arena) answer {
			m := invitation(a, a.stand().alpha, a.stand().alpha.newest(protocol.TypeGameInvitation).Head().MatchID, capturedM(a))
			m["attempt"] = 2
			return post(a.t, a.stand().alpha.url, m)
		}},
		{name: "a captured M before another player", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.stand().beta.url,
				invitation(a, a.stand().beta, a.stand().beta.newest(protocol.TypeGameInvitation).Head().MatchID, capturedM(a)))
		}},
		{name: "a captured M answers for its player without a signature", want: "E012", told: impersonated,
			try: func(a *arena) answer { return answersFor(a, nil) }},
		{name: "a captured M answers for its player with an empty signature", want: "E012", told: impersonated,
			try: func(a *arena) answer {
				return answersFor(a, message{"head": "", "move": `"odd"`, "signature": strings.Repeat("00", 64)})
			}},
		{name: "a captured M answers for its player with a key of its own", want: "E012", told: impersonated,
			try: func(a *arena) answer {
				_, key, err := ed25519.GenerateKey(nil)
				if err != nil {
					a.t.Fatal(err)
				}
				inv, s := a.stand().alpha.newest(protocol.TypeGameInvitation).(*protocol.GameInvitation), a.state()
				chain := protocol.AnswerContext{
					Seal: s.Seal, Match: inv.MatchID, Attempt: 1, Referee: a.identity("Referee Alpha").ID, Player: inv.PlayerID,
					Commitment: inv.Fairness.Commitment, Head: s.Head().Hash,
				}.NewChain().Then(0, "", `"odd"`)
				return answersFor(a, message{"head": s.Head().Hash, "move": `"odd"`, "signature": chain.Sign(key)})
			}},
		{name: "a captured M asks the manager", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, forged(protocol.TypeLeagueQuery, "player:"+a.stand().alpha.ID(), capturedM(a),
				query(protocol.QueryNextMatch)))
		}},
		{name: "a captured M reports to the manager", want: "E012", try: func(a *arena) answer {
			return post(a.t, a.url, report("referee:"+a.identity("Referee Alpha").ID, capturedM(a), "R1M1", nil))
		}},
	}}
}

// impersonated is part of the warning of the organiser's referee about an answer that is not from its player.
const impersonated = "someone else answers for a player"

// answersFor answers the open call to Alpha with the M of its match.
func answersFor(a *arena, proof message) answer {
	alpha := a.stand().alpha
	m := forged(protocol.TypeChooseParityResponse, "player:"+alpha.ID(), capturedM(a), message{
		"round_id": 1, "match_id": a.matchOf(alpha.ID()), "player_id": alpha.ID(), "parity_choice": "odd", "choice": "odd",
	})
	if proof != nil {
		m["proof"] = proof
	}
	return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint, m)
}

// capturedL is the L with which the manager announced the first round to Alpha.
func capturedL(a *arena) string {
	return a.stand().alpha.newest(protocol.TypeRoundAnnouncement).Head().AuthToken
}

// capturedM is the M of Alpha's first match.
func capturedM(a *arena) string {
	return a.stand().alpha.invitation
}

// report returns a forged result.
func report(sender, token, match string, result message) message {
	if result == nil {
		result = message{"winner": nil}
	}
	for _, member := range []string{"score", "details"} {
		if result[member] == nil {
			result[member] = message{}
		}
	}
	return forged(protocol.TypeMatchResultReport, sender, token, message{
		"round_id": 1, "match_id": match, "game_type": "even_odd", "attempt": 1, "result": result,
	})
}

// moves returns forged moves.
func moves(sender, token, match, a, b string) message {
	return forged(protocol.TypeMatchMovesReport, sender, token, message{
		"round_id": 1, "match_id": match, "game_type": "even_odd", "attempt": 1,
		"moves": []any{message{"turn": 0, "player_id": a, "move": "even"}, message{"turn": 0, "player_id": b, "move": "odd"}},
	})
}

// invitation returns a forged invitation.
func invitation(a *arena, p *seated, match, token string) message {
	return forged(protocol.TypeGameInvitation, "referee:"+a.identity("Referee Alpha").ID, token, message{
		"round_id": 1, "match_id": match, "game_type": "even_odd", "role_in_match": "PLAYER_A", "role": "PLAYER_A",
		"player_id": p.ID(), "opponent_id": "P99", "attempt": 1,
		"fairness": message{"commitment": protocol.SHA256("mine")},
	})
}

// over returns a forged end of Alpha's first match.
func over(a *arena, sender, token string) message {
	inv := a.stand().alpha.newest(protocol.TypeGameInvitation).(*protocol.GameInvitation)
	return forged(protocol.TypeGameOver, sender, token, message{
		"round_id": 1, "match_id": inv.MatchID, "game_type": "even_odd", "player_id": inv.PlayerID,
		"opponent_id": inv.OpponentID, "attempt": 1, "result": "LOSS", "points_earned": 0,
		"winner": inv.OpponentID, "game_result": message{
			"status": "WIN", "winner_player_id": inv.OpponentID, "choices": message{}, "reason": "made up",
		},
	})
}
