package manager_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestHeadIsKeptBeforeTheEndIsAnnounced has the head of the log fail for a while when the league is over: no player
// receives LEAGUE_COMPLETED until it is durable.
func TestHeadIsKeptBeforeTheEndIsAnnounced(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	keep := func() error {
		if broken.Load() {
			return errors.New("no space left on device")
		}
		return nil
	}
	inWorld(t, 55, rpctest.Faults{}, manager.Options{StartPlayers: 2, KeepHead: keep}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "over", func(s *league.State) bool { return s.Completed() })
		time.Sleep(10 * time.Second)
		if _, sent := w.seen(8101, string(protocol.TypeLeagueCompleted)); len(sent) > 0 {
			t.Errorf("the end was announced without a head: %v", sent)
		}
		if n := w.count("the head of the log cannot be written; trying again until it works"); n != 1 {
			t.Errorf("it was logged %d times, want once", n)
		}
		broken.Store(false)
		if w.finish(time.Minute) {
			if _, sent := w.seen(8101, string(protocol.TypeLeagueCompleted)); len(sent) == 0 {
				t.Error("the end was not announced")
			}
		}
	})
}
