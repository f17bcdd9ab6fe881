package manager_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A kind is a way to misbehave, with its effect in a match: when the player forfeits, counted from the invitation, and
// why. Zero fails means that it plays in the end.
type kind struct {
	name   string
	fails  time.Duration
	why    string
	choose func(w *world, id string) player.StrategyFunc
	joins  rpc.Handler // instead of our own player's
}

const never = 0

var kinds = []kind{
	{name: "silent", fails: 126 * time.Second, why: "E001", choose: func(*world, string) player.StrategyFunc {
		return func(ctx context.Context, _ game.View) (game.Move, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}},
	{name: "slow", fails: never, choose: func(w *world, id string) player.StrategyFunc {
		return func(_ context.Context, v game.View) (game.Move, error) {
			return v.Options[0], w.players[id].Node.Sleep(w.procs[id].Context(), "thinking", 31*time.Second)
		}
	}},
	{name: "lying", fails: 6 * time.Second, why: "E004", choose: func(*world, string) player.StrategyFunc {
		return func(context.Context, game.View) (game.Move, error) { return game.Move(`"banana"`), nil }
	}},
	{name: "crashing", fails: 36 * time.Second, why: "E009", choose: func(w *world, id string) player.StrategyFunc {
		return func(ctx context.Context, _ game.View) (game.Move, error) {
			w.crash(id)
			return nil, w.players[id].Node.Sleep(ctx, "gone", time.Hour)
		}
	}},
	{name: "declining", fails: time.Nanosecond, why: "DECLINED",
		joins: func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
			no := false
			return &protocol.GameJoinAck{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGameJoinAck, MatchID: m.Head().MatchID}, Accept: &no,
			}, nil
		}},
	{name: "flooding", fails: never, choose: func(w *world, id string) player.StrategyFunc {
		return func(ctx context.Context, v game.View) (game.Move, error) {
			for n := range 50 {
				body := fmt.Sprintf(
					`{"message_type":"CHOOSE_PARITY_RESPONSE","match_id":"R1M1","sender":"player:P0%d","parity_choice":"odd"}`, 1+n%3)
				_, _, _ = w.procs[id].Post(ctx, "http://localhost:8001/mcp", "flood", []byte(body))
			}
			return v.Options[0], nil
		}
	}},
}

// TestEveryPairOfMisbehavingPlayersHasItsRowInTheTable plays a match of each kind against each, and compares both rows
// of the table, and the manager's state of both players, with the expected effects of their kinds.
func TestEveryPairOfMisbehavingPlayersHasItsRowInTheTable(t *testing.T) {
	for i, a := range kinds {
		for j, b := range kinds {
			t.Run(a.name+" against "+b.name, func(t *testing.T) {
				t.Parallel()
				inWorld(t, uint64(100+10*i+j), rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
					w.misbehave(map[string]kind{"P01": a, "P02": b})
				})
			})
		}
	}
}

func (w *world) misbehave(as map[string]kind) {
	t := w.t
	ordinary := w.strategy
	w.strategy = func(id string) player.Strategy {
		if as[id].choose == nil {
			return ordinary(id)
		}
		return as[id].choose(w, id)
	}
	w.bootAll(1, 2)
	for id, k := range as {
		if k.joins != nil {
			w.players[id].Node.Handle(protocol.TypeGameInvitation, k.joins)
		}
	}
	if !w.finish(time.Hour) {
		return
	}
	s := w.state()
	got := s.Matches["R1M1"].Outcome.Result
	lost := losers(as["P01"], as["P02"])
	for _, row := range s.Standings() {
		k := as[row.PlayerID]
		_, opponentLost := lost[map[string]string{"P01": "P02", "P02": "P01"}[row.PlayerID]]
		want := protocol.Standing{Rank: row.Rank, PlayerID: row.PlayerID, DisplayName: "Agent " + row.PlayerID, Played: 1}
		switch _, forfeited := lost[row.PlayerID]; {
		case forfeited:
			want.Losses, want.TechnicalLosses = 1, 1
			if got.Forfeits[row.PlayerID] != k.why {
				t.Errorf("%s forfeited for %q, want %s", row.PlayerID, got.Forfeits[row.PlayerID], k.why)
			}
		case opponentLost || got.Winner == row.PlayerID:
			want.Wins, want.Points = 1, 3
		case got.Winner != "":
			want.Losses = 1
		default:
			want.Draws, want.Points = 1, 1
		}
		if row != want {
			t.Errorf("%s: row %+v, want %+v", k.name, row, want)
		}
		suspended := s.Agents[row.PlayerID].State == protocol.AgentSuspended
		if _, forfeited := lost[row.PlayerID]; suspended != (forfeited && (k.why == "E001" || k.why == "E009")) {
			t.Errorf("%s is %s after forfeiting %v for %s", row.PlayerID, s.Agents[row.PlayerID].State, forfeited, k.why)
		}
	}
}

// losers returns the players that forfeit: the one that fails first, or both if they fail simultaneously.
func losers(a, b kind) map[string]bool {
	out := map[string]bool{}
	if a.fails != never && (b.fails == never || a.fails <= b.fails) {
		out["P01"] = true
	}
	if b.fails != never && (a.fails == never || b.fails <= a.fails) {
		out["P02"] = true
	}
	return out
}

// TestTicTacToeCompletesInVirtualTime plays the other game, where seats matter.
func TestTicTacToeCompletesInVirtualTime(t *testing.T) {
	o := manager.Options{StartPlayers: 4, StartReferees: 2, Game: manager.Game{Type: "tic_tac_toe", SeatMatters: true}}
	inWorld(t, 9, rpctest.Faults{}, o, func(w *world) {
		w.gameTypes = []string{"tic_tac_toe"}
		w.bootAll(2, 4)
		if !w.finish(time.Hour) {
			return
		}
		w.checkLaws()
		first := map[string]int{}
		for _, m := range w.state().Matches {
			first[m.A]++
			if m.Outcome.Result.Status == protocol.TechnicalLoss {
				t.Errorf("%s ended with a forfeit", m.ID)
			}
		}
		for id, n := range first {
			if n < 1 || n > 2 {
				t.Errorf("%s sat first in %d of 3 matches, want 1 or 2", id, n)
			}
		}
	})
}
