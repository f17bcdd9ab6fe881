package manager_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A player belongs to the holder of its owner key, which only the player and the manager can compute.
func TestOwnerHasTheOwnerKey(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "both players", func(s *league.State) bool { return len(s.Players()) == 2 })
		key := func(id string) string { return protocol.OwnerKey(w.token(id), leagueID, id) }
		good := key("P01")
		for secret, want := range map[string]string{
			good: "P01", key("P02"): "P02", "": "", "x": "", good + "x": "", "tok_owner_P01_": "",
			"tok_owner_P09_x": "", adminToken: "", w.token("P01"): "",
			protocol.OwnerKey(w.token("P02"), leagueID, "P01"): "",
		} {
			if got := w.manager.Owner(secret); got != want {
				t.Errorf("%q is %q, want %q", secret, got, want)
			}
		}
	})
}
