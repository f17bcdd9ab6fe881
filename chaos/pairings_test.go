//go:build !windows

package chaos_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// TestEveryFormatSurvivesKills plays a league of each format in processes that are killed at random. A player joins late
// where the format admits it. The audit derives every pairing again.
func TestEveryFormatSurvivesKills(t *testing.T) {
	t.Parallel()
	for format, c := range map[string]struct {
		schedule string
		late     bool
	}{
		"swiss":       {`"schedule":{"format":"swiss","cycles":1,"rounds":6,"legs":2,"late":{"until":6,"missed":"half"}}`, true},
		"gauntlet":    {`"schedule":{"format":"gauntlet","cycles":1,"legs":4,"late":{"until":100}}`, true},
		"knockout":    {`"schedule":{"format":"knockout","cycles":1,"seeding":"lot","knockout":{"best_of":4,"extra":2,"decide":"lot","third_place":true}}`, false},
		"ladder":      {`"schedule":{"format":"ladder","cycles":1,"rounds":15}`, true},
		"round_robin": {`"schedule":{"format":"round_robin","cycles":6,"late":{"until":100}}`, true},
	} {
		t.Run(format, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 9))
			const players = 5
			s := openSeason(t, rng, 2, players, 1, 20*time.Millisecond, c.schedule, `"max_consecutive_forfeits":0`)
			for n := range players {
				s.player(protocol.AgentID(protocol.RolePlayer, n+1))
			}
			rpctest.Eventually(t, "the first result", func() bool { return recorded(s.root) > 0 })
			if c.late { // the pause keeps the league from its end
				s.order("pause")
				s.player("P77")
				rpctest.Eventually(t, "a player that joins late", func() bool {
					st, err := state(s.root)
					return err == nil && st.InField("P77")
				})
				s.order("resume")
			}
			for range 8 {
				a := s.agents[rng.IntN(len(s.agents))]
				a.kill()
				time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
				a.start()
				s.progress(recorded(s.root)+1, time.Second)
			}
			s.finish()
			s.check()
			st, err := state(s.root)
			if err != nil {
				t.Fatal(err)
			}
			if c.late && len(st.MatchesOf("P77")) == 0 {
				t.Error("the player that joined late has no match")
			}
			if got := league.FormatOf(st); got != format+"/1" {
				t.Errorf("the log has the format %q", got)
			}
		})
	}
}

// player starts a player.
func (s *season) player(id string) {
	s.add(id, "player", "--root", s.root, "--port", port(), "--manager", s.url, "--id", id, "--name", "Agent "+id)
}
