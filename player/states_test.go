package player_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// The states of a player and of an agent that get_player_state reports, from the start of the program to the end of the league.
func TestStatesOfAPlayer(t *testing.T) {
	var n atomic.Int32
	lay := func(w *table) { w.ours = true }
	layTable(t, asked(&n), player.Options{}, lay, func(w *table, life context.Context) {
		var token string
		for _, step := range []struct {
			name  string
			do    func() error
			state string
			agent string
		}{
			{"started", func() error { return nil }, protocol.PlayerUnregistered, protocol.AgentInit},
			{"registered", func() error { return w.agent.Register(life, office, home) }, protocol.PlayerRegistered, protocol.AgentRegistered},
			{"round announced", func() error {
				_, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02",
					RefereeID: "REF01", RefereeEndpoint: "http://localhost:8001/mcp", Attempt: 1, Native: true}}})
				return err
			}, protocol.PlayerWaitingForRound, protocol.AgentActive},
			{"invited", func() error {
				token = w.matchToken("R1M1", 1)
				return w.invite("R1M1", 1, token)
			}, protocol.PlayerInMatch, protocol.AgentActive},
			{"asked", func() error {
				_, err := w.choose("R1M1", 1, token)
				return err
			}, protocol.PlayerWaitingForResult, protocol.AgentActive},
			{"match over", func() error { return w.over("R1M1", 1, token, protocol.Loss, 7) }, protocol.PlayerWaitingForRound, protocol.AgentActive},
			{"league over", func() error {
				_, err := w.tell(protocol.TypeLeagueCompleted, 0, &protocol.LeagueCompleted{})
				return err
			}, protocol.PlayerWaitingForRound, protocol.AgentShutdown},
		} {
			if err := step.do(); err != nil {
				t.Errorf("%s: %v", step.name, err)
				return
			}
			var answer struct{ Result protocol.PlayerState }
			body := w.agent.Node.Answer(life, rpc.From{}, []byte(`{"jsonrpc":"2.0","method":"get_player_state","params":{},"id":1}`))
			if err := json.Unmarshal(body, &answer); err != nil || answer.Result.State != step.state || answer.Result.AgentState != step.agent {
				t.Errorf("%s: got %s and %s (%v), want %s and %s", step.name, answer.Result.State, answer.Result.AgentState, err, step.state, step.agent)
			}
		}
	})
}
