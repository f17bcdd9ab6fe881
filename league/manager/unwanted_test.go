package manager_test

import (
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

func TestPlayerThatTakesNoNewsHoldsUpNothing(t *testing.T) {
	inWorld(t, 41, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.bootManager()
		w.bootReferee(1)
		w.bootPlayer(1)
		w.bootPlayer(2)
		for _, n := range []protocol.Type{
			protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeRoundCompleted,
			protocol.TypeLeagueCompleted,
		} {
			w.players["P02"].Node.Handle(n, nil)
		}
		start := time.Now()
		if w.finish(time.Hour) && time.Since(start) > 5*time.Second {
			t.Errorf("the league took %v, want no waiting for acknowledgements", time.Since(start))
		}
	})
}

func TestUnknownTiebreakerIsRefused(t *testing.T) {
	_, err := manager.Open(t.Context(), sim.New(1).Open(sim.Options{}), manager.Options{
		Tiebreakers: []string{"points", "charm"},
	})
	if err == nil {
		t.Error("a league that is decided by charm was opened")
	}
}

func TestManagerSaysWhyItEnded(t *testing.T) {
	disk := sim.New(1)
	first, err := manager.Open(t.Context(), disk.Open(sim.Options{}), manager.Options{
		LeagueID: "l", Window: -1, AdminToken: "a",
	})
	if err != nil {
		t.Fatal(err)
	}
	if first.Err() != nil {
		t.Errorf("it runs, and says that it ended: %v", first.Err())
	}
	second, err := manager.Open(t.Context(), disk.Open(sim.Options{}), manager.Options{LeagueID: "l", Window: -1})
	if err != nil {
		t.Fatal(err)
	}
	first.Node.Answer(t.Context(), rpc.From{},
		[]byte(`{"jsonrpc":"2.0","method":"pause_league","params":{"auth_token":"a"},"id":1}`))
	<-first.Ended()
	first.Wait()
	if first.Err() == nil || second.Err() != nil {
		t.Errorf("the first ended with %v, the second with %v", first.Err(), second.Err())
	}
}
