//go:build !windows

package cli

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentleague/engine/journal"
	"agentleague/game"
	"agentleague/league"
	"agentleague/player"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// Thinkers are players in this process that do not answer before play is called.
type thinkers struct {
	t       *testing.T
	asked   chan string // the asked players
	release chan struct{}
	play    func() // releases all answers from now on
	ended   sync.WaitGroup
}

// sit lets players take part in the league of a manager.
func sit(t *testing.T, manager string, names ...string) *thinkers {
	s := &thinkers{t: t, asked: make(chan string, 100), release: make(chan struct{})}
	s.play = sync.OnceFunc(func() { close(s.release) })
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { s.play(); stop(); s.ended.Wait() })
	for _, name := range names {
		mind := player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
			s.asked <- name
			select {
			case <-s.release:
				return v.Options[0], nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		s.ended.Go(func() {
			if err := player.New(name, mind, player.Options{}).Run(ctx, 0, manager); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	return s
}

// thinks waits until that number of players is asked for a move.
func (s *thinkers) thinks(n int) {
	s.t.Helper()
	seen := map[string]bool{}
	rpctest.Eventually(s.t, "players that think", func() bool {
		select {
		case name := <-s.asked:
			seen[name] = true
		default:
		}
		return len(seen) >= n
	})
}

// folded returns the state of a league from the journal of a root.
func folded(t *testing.T, root string) *league.State {
	t.Helper()
	s, err := league.Fold(store.Entries(journal.Path(root+"/data", theLeague)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkWhole checks that a league was completed without a forfeit.
func checkWhole(t *testing.T, root string, matches int) {
	t.Helper()
	s := folded(t, root)
	if !s.Completed() || s.Recorded != matches {
		t.Errorf("completed %v with %d matches, want %d", s.Completed(), s.Recorded, matches)
	}
	for _, row := range s.Standings() {
		if row.TechnicalLosses > 0 {
			t.Errorf("%s forfeited %d matches", row.PlayerID, row.TechnicalLosses)
		}
	}
}

const inHand = "Interrupted: finishing the matches in play"

// interruptInMatch interrupts a process during a match, and lets the match continue.
func interruptInMatch(t *testing.T, p *process, s *thinkers) {
	t.Helper()
	p.signal(syscall.SIGTERM)
	p.says(inHand)
	if !p.running() {
		t.Error("it has left in the middle of a match")
	}
	s.play()
	if status := p.status(); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	p.says("Nothing is lost.")
}

func TestManagerToldToEndFinishesTheMatchesInHand(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"manager", "--root", root, "--start-when", "players=2,referees=1", "--port", lastingPort()}
	m := start(t, args...)
	at := m.endpoint()
	ref := start(t, "referee", "--root", root, "--port", "0", "--manager", at, "--id", "REF01")
	s := sit(t, at, "One", "Two")
	s.thinks(2)
	interruptInMatch(t, m, s)
	if got := folded(t, root).Recorded; got != 1 {
		t.Errorf("%d results are recorded, want the one of the match in hand", got)
	}
	again := start(t, args...)
	again.says("The league is over")
	checkWhole(t, root, 1)
	again.signal(syscall.SIGTERM)
	if status := again.status(); status != 0 {
		t.Errorf("a manager of a league that is over: status %d, want 0", status)
	}
	ref.signal(syscall.SIGTERM)
	if status := ref.status(); status != 0 {
		t.Errorf("an idle referee: status %d, want 0", status)
	}
}

func TestRefereeToldToEndFinishesTheMatchesInHand(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=3,referees=1")
	at := m.endpoint()
	args := []string{"referee", "--root", root, "--port", "0", "--manager", at, "--id", "REF01"}
	ref := start(t, args...)
	s := sit(t, at, "One", "Two", "Three")
	s.thinks(2)
	interruptInMatch(t, ref, s)
	if got := folded(t, root).Recorded; got != 1 {
		t.Errorf("%d results are recorded, want the one of the match in hand", got)
	}
	start(t, args...)
	m.says("The league is over")
	checkWhole(t, root, 3)
}

func TestPlayerToldToEndFinishesTheMatchesInHand(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=2,referees=1")
	at := m.endpoint()
	start(t, "referee", "--root", root, "--port", "0", "--manager", at, "--id", "REF01")
	p := start(t, "player", "--root", root, "--port", "0", "--manager", at, "--id", "P01", "--name", "Uno")
	p.says("registered with")
	s := sit(t, at, "Two")
	s.thinks(1)
	interruptInMatch(t, p, s)
	m.says("The league is over")
	checkWhole(t, root, 1)
}

func TestRunToldToEndGoesOnWhenItIsRunAgain(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"run", "--root", root, "--port", "0", "--players", "8", "--pace", "200ms"}
	p := start(t, args...)
	p.says("round 2 of 7")
	p.signal(syscall.SIGTERM)
	if status := p.status(); status != 1 { // the league is not over
		t.Errorf("status %d, want 1", status)
	}
	p.says(inHand)
	p.says("Nothing is lost. Continue with:\n  league run --root " + root + " --port 0 --players 8 --pace 200ms\n")
	before := folded(t, root)
	if before.Completed() {
		t.Fatal("the league was over before it was interrupted: this shows nothing")
	}
	var result struct {
		Matches         int `json:"matches"`
		TechnicalLosses int `json:"technical_losses"`
	}
	once(t, &result, args...)
	if result.Matches != 28 || result.TechnicalLosses != 0 {
		t.Errorf("got %+v, want 28 matches and no technical loss", result)
	}
	checkKept(t, before, folded(t, root))
}

// checkKept checks that every earlier result is unchanged.
func checkKept(t *testing.T, before, after *league.State) {
	t.Helper()
	for id, m := range before.Matches {
		if m.Outcome == nil {
			continue
		}
		if now := after.Matches[id]; now == nil || now.Outcome == nil || now.Outcome.RecordSHA256 != m.Outcome.RecordSHA256 {
			t.Errorf("the result of %s is lost or another one", id)
		}
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=2,referees=1")
	at := m.endpoint()
	ref := start(t, "referee", "--root", root, "--port", "0", "--manager", at, "--id", "REF01")
	s := sit(t, at, "One", "Two")
	s.thinks(2)
	for _, p := range []*process{m, ref} {
		p.signal(syscall.SIGTERM)
		p.says(inHand)
		p.signal(syscall.SIGTERM)
		if status := p.status(); status != -1 {
			t.Errorf("status %d, want to be ended by the signal", status)
		}
	}
	if got := folded(t, root).Recorded; got != 0 {
		t.Errorf("%d results are recorded, want none", got)
	}
}

// A manager without its referee waits for the match in vain, and ends before a service manager kills it.
func TestLongManagerWithoutItsRefereeNamesTheMatchAndEnds(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := start(t, "manager", "--root", root, "--start-when", "players=2,referees=1", "--port", "0")
	at := m.endpoint()
	ref := start(t, "referee", "--root", root, "--port", "0", "--manager", at, "--id", "REF01")
	sit(t, at, "One", "Two").thinks(2)
	ref.signal(syscall.SIGKILL)
	ref.status()
	begin := time.Now()
	m.signal(syscall.SIGTERM)
	m.says("waiting for the matches in play: R1M1 at REF01")
	if status := m.status(); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	if took := time.Since(begin); took > 45*time.Second { // 40, on a busy machine
		t.Errorf("it took %v to end", took)
	}
}
