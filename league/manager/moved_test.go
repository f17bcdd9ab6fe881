package manager_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// TestAgentWhosePortAnotherHasByNowComesBack restarts two players on other ports, as after a crash of all agents with
// random ports: at the old port of one, the other answers.
func TestAgentWhosePortAnotherHasByNowComesBack(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 2}, func(w *world) {
		w.bootManager()
		w.bootPlayer(1)
		w.bootPlayer(2)
		w.await(time.Minute, "two players", func(s *league.State) bool { return len(s.Agents) == 2 })
		w.crash("P01")
		w.crash("P02")
		w.bootPlayerAt(2, 8101) // P02 is where P01 was
		w.bootPlayerAt(1, 8199)
		w.await(time.Minute, "both are there again", func(s *league.State) bool {
			return s.Agents["P01"].Endpoint == "http://localhost:8199/mcp" &&
				s.Agents["P02"].Endpoint == "http://localhost:8101/mcp"
		})
		if s := w.state(); len(s.Agents) != 2 || s.Agents["P01"].Displaced != "" || s.Agents["P02"].Displaced != "" {
			t.Errorf("got %d agents, P01 %+v, P02 %+v", len(s.Agents), s.Agents["P01"], s.Agents["P02"])
		}
	})
}
