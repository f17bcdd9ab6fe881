package manager_test

import (
	"context"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestWithdrawalAfterARestartLeavesTheMatchInPlayToItsReferee restarts the manager during a match and then withdraws
// one of its players. The new manager does not know that the match was ordered, and must not decide it without its
// referee.
func TestWithdrawalAfterARestartLeavesTheMatchInPlayToItsReferee(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		l := w.watchLaws(rpctest.Faults{})
		asked := make(chan struct{}, 10)
		clock := w.net.Boot("clock", "http://localhost:9999/mcp")
		w.strategy = func(string) player.Strategy {
			return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
				asked <- struct{}{}
				return v.Options[0], clock.Sleep(ctx, "thinking", 10*time.Second)
			})
		}
		w.bootAll(1, 2)
		<-asked
		w.opts.Hold = true // without an order, it has no match in progress
		w.bootManager()
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P02"); err != nil {
			t.Error(err)
		}
		w.manager.Orders.Release()
		if !w.finish(10 * time.Minute) {
			return
		}
		l.check()
		if got := w.state().Matches["R1M1"].Outcome; got.Attempt != 1 || got.Result.Status == protocol.TechnicalLoss {
			t.Errorf("got %+v, want the result that its players heard", got)
		}
	})
}
