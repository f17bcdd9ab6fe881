package attack_test

import (
	"fmt"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/protocol"
)

// strangers call players and referees in the name of the referee, the manager or a player. They have no valid token.
// The targets are a player in this process and one in a separate process.
func strangers() family {
	return family{
		name: "strangers", scene: midgame, after: goesOn,
		attacks: append(append(falseReferees(), falseManagers()...), falsePlayers()...),
	}
}

// falseReferees call players.
func falseReferees() (rows []attack) {
	for _, token := range []struct{ what, text, code string }{
		{"no token", "", "E011"}, {"an invented token", "tok_match_made_up", "E012"},
	} {
		for _, name := range []string{"Alpha", "Delta"} {
			to := func(m func(a *arena, id, match string) message) func(a *arena) answer {
				return func(a *arena) answer {
					p := a.agent(protocol.RolePlayer, name)
					return post(a.t, p.Endpoint, m(a, p.ID, a.matchOf(p.ID)))
				}
			}
			say := func(t protocol.Type, more message) func(a *arena, id, match string) message {
				return func(a *arena, id, match string) message {
					m := forged(t, "referee:"+a.identity("Referee Alpha").ID, token.text,
						message{"round_id": 1, "match_id": match, "player_id": id, "game_type": "even_odd", "attempt": 1})
					for k, v := range more {
						m[k] = v
					}
					return m
				}
			}
			invite := message{
				"role_in_match": "PLAYER_A", "role": "PLAYER_A", "opponent_id": "P99",
				"fairness": message{"commitment": protocol.SHA256("mine")},
			}
			title := func(what string) string { return fmt.Sprintf("%s with %s to %s", what, token.what, name) }
			rows = append(rows,
				attack{
					name: title("an invitation during the match"), want: token.code, try: to(say(protocol.TypeGameInvitation, invite)),
				},
				attack{name: title("an invitation before the match"), want: token.code,
					try: to(func(a *arena, id, _ string) message {
						return say(protocol.TypeGameInvitation, invite)(a, id, "R2M1")
					})},
				attack{name: title("an invitation by another referee"), want: token.code,
					try: to(func(a *arena, id, match string) message {
						m := say(protocol.TypeGameInvitation, invite)(a, id, match)
						m["sender"], m["attempt"] = "referee:REF99", 2
						return m
					})},
				attack{name: title("a call for a choice"), want: token.code, try: to(say(protocol.TypeChooseParityCall, message{
					"context":  message{"opponent_id": "P99", "round_id": 1, "your_standings": message{}},
					"deadline": "2030-01-01T00:00:00Z",
				}))},
				attack{
					name: title("a false E004"), want: token.code,
					try: to(
						say(protocol.TypeGameError, message{"affected_player": "", "error_code": "E004",
							"error_name": "INVALID_PARITY_CHOICE", "error_description": "made up"})),
				},
				attack{name: title("a false end"), want: token.code, try: to(say(protocol.TypeGameOver, message{
					"opponent_id": "P99", "result": "LOSS", "points_earned": 0, "winner": "P99",
					"game_result": message{"status": "WIN", "winner_player_id": "P99", "choices": message{}, "reason": "made up"},
				}))},
			)
		}
	}
	return rows
}

// falseManagers call referees and players.
func falseManagers() (rows []attack) {
	for _, token := range []struct{ what, text, code string }{
		{"no token", "", "E011"}, {"an invented token", "tok_manager_made_up", "E012"},
	} {
		title := func(what string) string { return what + " with " + token.what }
		rows = append(rows,
			attack{name: title("an order to a referee"), want: token.code, try: func(a *arena) answer {
				player := func(id string) message {
					return message{
						"id": id, "endpoint": a.agent(protocol.RolePlayer, "Alpha").Endpoint, "token": "x", "state": "ACTIVE",
						"standings": message{},
					}
				}
				return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint,
					forged(protocol.TypeStartMatch, protocol.Manager, token.text, message{
						"round_id": 1, "match_id": "R1M1", "game_type": "even_odd", "attempt": 2, "player_A": player("P01"),
						"player_B": player("P02"), "draw_key": protocol.SHA256("mine"), "report_to": a.stand().visitor.url,
					}))
			}},
			attack{name: title("the end of the league to a referee"), want: token.code, try: func(a *arena) answer {
				return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint,
					forged(protocol.TypeLeagueCompleted, protocol.Manager, token.text,
						message{"champion": nil, "final_standings": []any{}}))
			}},
			attack{name: title("a question for records to a referee"), want: token.code, try: func(a *arena) answer {
				return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint,
					forged(protocol.TypeGetMatchRecords, protocol.Manager, token.text,
						message{"records": []any{message{"league_id": leagueID, "match_id": "R1M1", "attempt": 1}}}))
			}},
		)
		for _, name := range []string{"Alpha", "Delta"} {
			for kind, more := range map[protocol.Type]message{
				protocol.TypeRoundAnnouncement:     {"round_id": 2, "matches": []any{}, "byes": []any{}},
				protocol.TypeRoundCompleted:        {"round_id": 1},
				protocol.TypeLeagueStandingsUpdate: {"round_id": 1, "standings": []any{}},
				protocol.TypeLeagueCompleted:       {"champion": nil, "final_standings": []any{}},
			} {
				rows = append(rows, attack{name: title(string(kind) + " to " + name), want: token.code, try: func(a *arena) answer {
					return post(a.t, a.agent(protocol.RolePlayer, name).Endpoint, forged(kind, protocol.Manager, token.text, more))
				}})
			}
		}
	}
	for _, who := range []struct {
		role protocol.Role
		name string
	}{{protocol.RolePlayer, "Delta"}, {protocol.RoleReferee, "Referee Alpha"}} {
		rows = append(rows, attack{name: "a welcome that nobody asked for to " + who.name, want: "E007",
			try: func(a *arena) answer {
				return post(a.t, a.agent(who.role, who.name).Endpoint,
					forged(protocol.TypeWelcome, protocol.Manager, "",
						message{"manager": a.url, "created": firstLine(a), "id": "P99", "epoch": 1, "nonce": "n",
							"endpoint": a.agent(who.role, who.name).Endpoint}))
			}})
	}
	return append(rows, attack{name: "another manager for a referee", want: "E007", try: func(a *arena) answer {
		return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint,
			forged(protocol.TypeRegisterToLeague, "admin", "", message{"league_endpoint": a.stand().visitor.url}))
	}})
}

// firstLine returns line 1 of the league's log, which is public.
func firstLine(a *arena) string {
	a.t.Helper()
	for e, err := range journal.ReadFile(journal.Path(filepath.Join(a.root, "data"), leagueID)) {
		if err != nil {
			a.t.Fatal(err)
		}
		return string(e.Text)
	}
	return ""
}

// falsePlayers answer open calls of the referee in place of the called players.
func falsePlayers() (rows []attack) {
	answers := func(name string, change func(a *arena, m message)) func(a *arena) answer {
		return func(a *arena) answer {
			id := a.agent(protocol.RolePlayer, name).ID
			m := forged(protocol.TypeChooseParityResponse, "player:"+id, "", message{
				"round_id": 1, "match_id": a.matchOf(id), "player_id": id, "parity_choice": "odd", "choice": "odd",
			})
			change(a, m)
			return post(a.t, a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint, m)
		}
	}
	bare := func(_ *arena, m message) { m["conversation_id"] = "" }
	ticket := func(a *arena, m message) {
		m["auth_token"] = a.register(registration{name: "Gamma", endpoint: a.stand().gamma.url}).Token
	}
	for _, name := range []string{"Alpha", "Delta", "Gamma"} {
		rows = append(rows,
			attack{
				name: "a choice for " + name + " in a conversation of its own", want: "E012",
				try: answers(name, func(*arena, message) {}),
			},
			attack{name: "a choice for " + name + " with an invented token", want: "E012",
				try: answers(name, func(_ *arena, m message) {
					m["auth_token"] = "tok_match_made_up"
				})},
			attack{name: "a choice for " + name + " with Gamma's ticket", want: either, try: answers(name, ticket)},
		)
	}
	return append(rows,
		attack{name: "a choice for Alpha with nothing but its name", want: "E012", try: answers("Alpha", bare)},
		attack{name: "a choice in Beta's name with Alpha's M", want: "E012", try: answers("Beta", func(a *arena, m message) {
			m["auth_token"] = capturedM(a)
		})},
		attack{
			name: "a choice for Gamma with nothing but its name, while it is still asked", want: either,
			try: answers("Gamma", bare),
		},
		attack{name: "a choice for Gamma with the match for a conversation, while it is still asked", want: either,
			try: answers("Gamma", func(_ *arena, m message) {
				m["conversation_id"] = m["match_id"]
			})},
		attack{name: "a choice for Gamma with nothing but its name, from elsewhere", want: "E012",
			try: func(a *arena) answer {
				id := a.stand().gamma.name
				m := forged(protocol.TypeChooseParityResponse, "player:"+id, "", message{
					"match_id": a.matchOf(id), "player_id": id, "parity_choice": "odd", "conversation_id": "",
				})
				return postFrom(a.t, elsewhere(a.t), a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint, m)
			}},
	)
}

// matchOf is the match of a player in the first round.
func (a *arena) matchOf(id string) string {
	a.t.Helper()
	for _, m := range a.state().InRound(1) {
		if m.A == id || m.B == id {
			return m.ID
		}
	}
	a.t.Fatalf("%s does not play in the first round", id)
	return ""
}
