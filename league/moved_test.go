package league_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// TestAgentWhosePortAnotherHasByNowComesBack has two players come back to other ports than they had, as after a crash of all in
// which everybody takes a free port: at the old port of the one answers the other.
func TestAgentWhosePortAnotherHasByNowComesBack(t *testing.T) {
	inWorld(t, 1, rpc.Faults{}, league.Options{StartPlayers: 2, StartReferees: 2}, func(w *world) {
		w.bootManager()
		w.bootPlayer(1)
		w.bootPlayer(2)
		w.await(time.Minute, "two players", func(s *league.State) bool { return len(s.Agents) == 2 })
		w.crash("P01")
		w.crash("P02")
		at := w.net.Boot("P02", "http://localhost:8101/mcp") // P02 is where P01 was
		node := rpc.NewNode("player:P02", rpc.Options{Network: at})
		at.Serve(node)
		r := w.apply("player:P01", "", "conv-again", named("Agent P01", "http://localhost:8199/mcp"))
		if r.Status != protocol.Accepted || r.PlayerID == nil || *r.PlayerID != "P01" {
			t.Errorf("got %+v, want P01 to be taken back", r)
		}
	})
}
