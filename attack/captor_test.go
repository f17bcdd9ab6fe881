package attack_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// captors have read the token of a match from the network, and speak to its player in its referee's name. The player
// does not answer the first call: it is asked again when it has been told that the match is over.
func captors() family {
	ends := func(more message) func(a *arena) answer {
		return func(a *arena) answer {
			alpha := a.cast["alpha"].(*seated)
			inv := alpha.newest(protocol.TypeGameInvitation).(*protocol.GameInvitation)
			m := forged(protocol.TypeGameOver, inv.Sender, inv.AuthToken, message{
				"round_id": 1, "match_id": inv.MatchID, "game_type": "even_odd", "attempt": 1, "player_id": inv.PlayerID,
				"opponent_id": inv.OpponentID, "result": "LOSS", "points_earned": 0, "winner": inv.OpponentID,
				"game_result": message{
					"status": "WIN", "winner_player_id": inv.OpponentID, "choices": message{}, "reason": "made up",
				},
			})
			for k, v := range more {
				m[k] = v
			}
			return post(a.t, alpha.url, m)
		}
	}
	rows := []attack{
		{name: "ends the match with a key of its own",
			try: ends(message{"fairness": message{"commitment": protocol.SHA256("mine"), "key": protocol.SHA256("mine")}})},
		{name: "ends the match by a forfeit", try: ends(message{"result": "TECHNICAL_LOSS", "game_result": message{
			"status": "TECHNICAL_LOSS", "winner_player_id": "P02", "choices": message{}, "forfeits": message{"P01": "E001"},
			"reason": "made up",
		}})},
	}
	for i := range rows {
		rows[i].told, rows[i].proof = "a player protests against a result", league.Proven
		end := rows[i].try
		rows[i].try = func(a *arena) answer {
			alpha := a.cast["alpha"].(*seated)
			got := end(a)
			until(a.t, "Alpha is asked again", func() bool { return alpha.times(protocol.TypeChooseParityCall) > 1 })
			close(alpha.gate)
			return got
		}
	}
	return family{name: "captors", each: true, attacks: rows, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{timeout: "3"})
		alpha := a.seat("Alpha", "even", true)
		a.seat("Beta", "odd", false)
		a.cast["alpha"] = alpha
		a.referee("Referee Alpha")
		a.start()
		alpha.await(t, protocol.TypeChooseParityCall)
		return a
	}, after: func(a *arena) {
		losersEnd(a)
		choosesOnly(a.t, a.state(), map[string]string{a.idOf("Alpha"): "even", a.idOf("Beta"): "odd"})
	}}
}

// ventriloquists speak for a foreign player that lets its calls time out, with nothing but its name.
func ventriloquists() family {
	return family{name: "ventriloquists", each: true, lenient: true, attacks: []attack{
		{name: "answers while the player is called, and after that", want: "E008", try: func(a *arena) answer {
			gamma := a.cast["gamma"].(*stranger)
			referee := a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint
			a.start()
			until(a.t, "Gamma is asked", func() bool { return len(gamma.was(protocol.TypeChooseParityCall)) > 0 })
			says := forged(protocol.TypeChooseParityResponse, "player:"+gamma.name, "", message{
				"match_id": "R1M1", "player_id": gamma.name, "parity_choice": "odd", "choice": "odd", "conversation_id": "",
			})
			var got answer
			for a.state().Recorded == 0 {
				got = post(a.t, referee, says)
				time.Sleep(20 * time.Millisecond)
			}
			return got
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{timeout: "2"})
		gamma := newStranger(t, 0, "even")
		t.Cleanup(gamma.hold())
		gamma.join(a, protocol.RolePlayer, "Gamma")
		a.cast["gamma"] = gamma
		a.seat("Beta", "odd", false)
		a.referee("Referee Alpha")
		return a
	}, after: func(a *arena) {
		until(a.t, "the end of the league", func() bool { return a.state().Completed() })
		gamma := a.cast["gamma"].(*stranger).name
		if r := a.state().Matches["R1M1"].Outcome.Result; r.Forfeits[gamma] != "E001" || r.Choices[gamma] != nil {
			a.t.Errorf("somebody has answered for Gamma: %+v", r)
		}
	}}
}
