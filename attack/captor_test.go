package attack_test

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// captors have read the token of a match from the network and call its player in its referee's name. The player has
// joined and has not been asked yet, because its opponent is slow.
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
		rows[i].told, rows[i].proof = "protests against the result", league.Proven
		end := rows[i].try
		rows[i].try = func(a *arena) (got answer) {
			rpctest.Eventually(a.t, "Alpha has joined", func() bool { got = end(a); return got.Code == "" })
			a.cast["join"].(func())()
			return got
		}
	}
	return family{name: "captors", each: true, attacks: rows, scene: lateOpponent, after: func(a *arena) {
		losersEnd(a)
		choosesOnly(a.t, a.state(), map[string]string{a.idOf("Alpha"): "even", a.idOf("Beta"): "odd"})
	}}
}

// lateOpponent is a match of Alpha and Beta to which Alpha has been invited. Beta joins on command.
func lateOpponent(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	alpha, beta := a.seat("Alpha", "even", false), a.newSeat("Beta", "odd", player.Options{})
	gate := make(chan struct{})
	a.cast["alpha"], a.cast["join"] = alpha, sync.OnceFunc(func() { close(gate) })
	close(beta.gate)
	err := beta.enters(a, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(protocol.TypeGameInvitation)) {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		beta.Node.ServeHTTP(w, r)
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.cast["join"].(func()))
	a.referee("Referee Alpha")
	a.start()
	alpha.await(t, protocol.TypeGameInvitation)
	return a
}

// ventriloquists answer for a foreign player whose calls time out, and show only its name.
func ventriloquists() family {
	return family{name: "ventriloquists", each: true, lenient: true, attacks: []attack{
		{name: "answers while the player is called, and after that", want: "E008", try: func(a *arena) answer {
			gamma := a.cast["gamma"].(*stranger)
			referee := a.agent(protocol.RoleReferee, "Referee Alpha").Endpoint
			a.start()
			rpctest.Eventually(a.t, "Gamma is asked", func() bool { return len(gamma.was(protocol.TypeChooseParityCall)) > 0 })
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
		rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
		gamma := a.cast["gamma"].(*stranger).name
		if r := a.state().Matches["R1M1"].Outcome.Result; r.Forfeits[gamma] != "E001" || r.Choices[gamma] != nil {
			a.t.Errorf("somebody has answered for Gamma: %+v", r)
		}
	}}
}
