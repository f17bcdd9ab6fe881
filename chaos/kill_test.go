//go:build !windows

package chaos_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// progress waits until that number of results is recorded, or until the time is up.
func (s *season) progress(results int, patience time.Duration) {
	for end := time.Now().Add(patience); time.Now().Before(end) && recorded(s.root) < results; {
		time.Sleep(5 * time.Millisecond)
	}
}

// hold pauses a league of which half the matches are recorded: it cannot end before enough processes were killed. It
// reports whether the league is paused; a manager that does not run is asked again later.
func (s *season) hold() bool {
	st, err := state(s.root)
	if err != nil || 2*st.Recorded < st.TotalMatches() {
		return false
	}
	_, err = run("pause", "--root", s.root, "--manager", s.url)
	return err == nil
}

// TestKillWhoeverWhenever kills one process after the other at random moments and restarts each with the same command,
// until the league is over.
func TestKillWhoeverWhenever(t *testing.T) {
	t.Parallel()
	seed, kills, referees, players, cycles, pace := uint64(1), 15, 2, 3, 30, 20*time.Millisecond
	if long() { // 190 matches; the rests are for there to be some left to be killed in
		kills, referees, players, cycles, pace = 200, 3, 20, 1, 5*time.Second
	}
	if text := os.Getenv("LEAGUE_KILLS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	start := time.Now()
	s := newSeason(t, rng, referees, players, cycles, pace)
	rpctest.Eventually(t, "the first result", func() bool { return recorded(s.root) > 0 })
	killed, lost := 0, recorded(s.root)
	roles, held := map[string]int{}, false
	for killed < kills && !over(s.root) {
		held = held || s.hold()
		s.progress(lost+rng.IntN(3), time.Duration(rng.IntN(1000))*time.Millisecond)
		a := s.agents[rng.IntN(len(s.agents))]
		if !a.running() {
			a.start()
			continue
		}
		a.kill()
		killed++
		roles[a.args[0]]++
		if now := recorded(s.root); now < lost {
			t.Fatalf("the journal had %d results and has %d", lost, now)
		} else {
			lost = now
		}
		time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
		a.start()
	}
	during := recorded(s.root)
	for _, a := range s.agents {
		if !a.running() {
			a.start()
		}
	}
	if held {
		s.order("resume")
	}
	s.finish()
	s.check()
	st, err := state(s.root)
	if err != nil {
		t.Fatal(err)
	}
	forfeits, moved := 0, 0
	for _, m := range st.Matches {
		forfeits += len(m.Outcome.Result.Forfeits)
		if len(m.Assigned) > 1 {
			moved++
		}
	}
	t.Logf("seed %d: %d processes, %d kills %v, %d matches, %d of them recorded meanwhile, %d managers, %d forfeits, %d reassigned, %v",
		seed, len(s.agents), killed, roles, st.Recorded, during, st.Epoch, forfeits, moved,
		time.Since(start).Round(100*time.Millisecond))
	if killed < kills {
		t.Errorf("the league was over after %d kills, want %d", killed, kills)
	}
}
