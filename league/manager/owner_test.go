package manager_test

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// A player belongs to whoever has its newest token, as long as that is good, and to nobody else.
func TestOwnerIsWhoHasTheToken(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{Window: -1, TokenTTL: time.Hour, OpenDoors: true}, func(w *world) {
		w.bootAll(1, 2)
		w.await(time.Minute, "both players", func(s *league.State) bool { return len(s.Players()) == 2 })
		good := w.token("P01")
		for secret, want := range map[string]string{
			good: "P01", w.token("P02"): "P02", "": "", "x": "", good + "x": "", "tok_player_P01_": "",
			"tok_player_P09_x": "", adminToken: "",
		} {
			if got := w.manager.Owner(secret); got != want {
				t.Errorf("%q is %q, want %q", secret, got, want)
			}
		}
		time.Sleep(2 * time.Hour)
		if got := w.manager.Owner(good); got != "" {
			t.Errorf("an expired token is still that of %s", got)
		}
	})
}
