//go:build !windows

package chaos_test

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// TestLongUnreportedResultsSurviveTheirRefereeAndTheManagersAbsence kills the manager during matches, so that their
// results cannot be reported, and then the referee that has them. The manager stays down for 20 s.
func TestLongUnreportedResultsSurviveTheirRefereeAndTheManagersAbsence(t *testing.T) {
	t.Parallel()
	const absence = 20 * time.Second
	for seed := range uint64(20) { // until a result was under way
		rng := rand.New(rand.NewPCG(seed, 8))
		s := newSeason(t, rng, 1, 4, 8, 0)
		rpctest.Eventually(t, "the first result", func() bool { return recorded(s.root) > 0 })
		time.Sleep(time.Duration(rng.IntN(50)) * time.Millisecond)
		s.manager.kill()
		gone := time.Now()
		time.Sleep(time.Second)
		waiting := waitingAt(t, s.root, "REF01")
		if len(waiting) == 0 {
			for _, a := range s.agents {
				a.kill()
			}
			continue
		}
		referee := s.agents[1]
		referee.kill()
		time.Sleep(absence - time.Since(gone))
		referee.start()
		s.manager.start()
		for _, match := range waiting {
			rpctest.Eventually(t, "the result of "+match, func() bool {
				st, err := state(s.root)
				if err != nil || st.Matches[match] == nil || st.Matches[match].Outcome == nil {
					return false
				}
				if o := st.Matches[match].Outcome; o.Attempt != 1 || o.Result.Status == "TECHNICAL_LOSS" {
					t.Errorf("%s: got %+v, want the result that its referee had", match, o)
				}
				return true
			})
		}
		s.finish()
		s.check()
		t.Logf("%d results waited for a manager that was away for %v", len(waiting), absence)
		return
	}
	t.Error("no manager was killed while a result was under way: this shows nothing")
}

// waitingAt lists the matches whose results a referee has not reported.
func waitingAt(t *testing.T, dir, referee string) (matches []string) {
	t.Helper()
	root, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	records, err := root.Records(referee)
	if err != nil {
		t.Fatal(err)
	}
	for u, err := range records.Unreported() {
		if err != nil {
			t.Fatal(err)
		}
		matches = append(matches, u.Ref.MatchID)
	}
	return matches
}

// TestRunThatIsKilledGoesOnWithTheSameCommand kills a whole league in one process again and again.
func TestRunThatIsKilledGoesOnWithTheSameCommand(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 9))
	root := t.TempDir()
	args := []string{"run", "--root", root, "--port", "0", "--players", "8", "--referees", "2", "--pace", "150ms"}
	a := newAgent(t, "run", args...)
	lives, had := 1, 0
	for ; lives <= 4; lives++ {
		rpctest.Eventually(t, "a further result", func() bool { return recorded(root) > had })
		time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
		a.kill()
		had = recorded(root)
		a.start()
	}
	rpctest.Eventually(t, "a further result", func() bool { return recorded(root) > had })
	a.mu.Lock()
	_ = a.cmd.Process.Signal(syscall.SIGINT)
	a.mu.Unlock()
	<-a.exited
	want := "Continue with:\n  league " + strings.Join(args, " ") + "\n"
	if !strings.Contains(a.said(), want) {
		t.Errorf("got %s, want %s", tail(a.said()), want)
	}
	a.start()
	<-a.exited
	for _, breach := range laws(root) {
		t.Error(breach)
	}
	if st, err := state(root); err != nil || st.Epoch != lives+1 || st.Recorded != 28 {
		t.Errorf("got %d managers, %d results, %v; want %d and 28", st.Epoch, st.Recorded, err, lives+1)
	}
}

// TestLongRefereeThatDiesLosesItsMatchesAndIsTakenBack kills one of two referees for longer than it is waited for. Its
// matches go to the other as a further attempt, and when it is back it gets matches again.
func TestLongRefereeThatDiesLosesItsMatchesAndIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newSeason(t, rand.New(rand.NewPCG(4, 9)), 2, 4, 60, 0)
	stands := func(want string) func() bool {
		return func() bool {
			st, err := state(s.root)
			return err == nil && st.Agents["REF01"] != nil && st.Agents["REF01"].State == want
		}
	}
	results := func() (all, own, moved int) {
		st, err := state(s.root)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range st.Matches {
			switch {
			case m.Outcome == nil:
			case m.Outcome.Referee == "REF01":
				own++
			case m.Outcome.Attempt == 2:
				moved++
			}
		}
		return st.Recorded, own, moved
	}
	rpctest.Eventually(t, "a result of REF01", func() bool { _, own, _ := results(); return own > 0 })
	referee := s.agents[1]
	referee.kill()
	rpctest.Eventually(t, "REF01 is suspended", stands("SUSPENDED"))
	before, _, _ := results()
	rpctest.Eventually(t, "the league goes on without it", func() bool { all, _, _ := results(); return all > before })
	referee.start()
	rpctest.Eventually(t, "REF01 is taken back", stands("ACTIVE"))
	_, had, moved := results()
	rpctest.Eventually(t, "it has matches again", func() bool { _, own, _ := results(); return own > had || over(s.root) })
	if _, own, _ := results(); own == had || moved == 0 {
		t.Errorf("%d matches went to the other referee, and REF01 had %d results before and %d after: want some, and more",
			moved, had, own)
	}
	s.finish()
	s.check()
}
