//go:build !windows

package chaos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/client"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/rpc/rpctest"
)

// building is held while the next version is built.
var building sync.Mutex

// nextVersion is the version of the program that buildNext builds.
const nextVersion = "v99.0.0"

// buildNext builds the product as its next version, whose cluster has another format, unless that is done.
func buildNext(t *testing.T) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	next, dir := program+"-next", t.TempDir()
	if _, err := os.Stat(next); err == nil {
		return next
	}
	replaced := map[string]string{}
	for file, edit := range map[string][2]string{
		"../host/version.go":   {"{ return rpc.Version() }", fmt.Sprintf("{ _ = rpc.Version; return %q }", nextVersion)},
		"../cluster/format.go": {"const Format = ", "const Format = 1 + "},
	} {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), edit[0]) {
			t.Fatalf("%s has no %q, %v", file, edit[0], err)
		}
		replaced[path] = filepath.Join(dir, filepath.Base(file))
		text = []byte(strings.Replace(string(text), edit[0], edit[1], 1))
		if err := os.WriteFile(replaced[path], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, built := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "league")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", rpctest.Build("-ldflags=-w", "-overlay", overlay, "-o", built, "agentleague/cmd/league")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Rename(built, next); err != nil { // whole, for the other processes of the tests
		t.Fatal(err)
	}
	return next
}

// An operator gives a manager orders, and kills it in their midst.
type operator struct {
	*season
	rng      *rand.Rand
	programs []string          // the manager's, in turn
	annulled map[string][2]int // reasons, and how often the log may have them
	archived map[bool]bool     // the states that the other league may have
	done     map[string]int
	refused  map[string]int
}

// side is a league without players.
const side = "side"

// TestLongOrdersWhileTheManagerIsKilled gives orders, takes backups, moves the league and replaces the program, and
// kills the manager each time at a random moment. An order is carried out, or refused with the reason.
func TestLongOrdersWhileTheManagerIsKilled(t *testing.T) {
	t.Parallel()
	const seed = 5
	orders, cycles := 24, 40
	if long() {
		orders, cycles = 100, 140
	}
	rng, programs := rand.New(rand.NewPCG(seed, 13)), []string{program, buildNext(t)}
	o := &operator{
		season: newSeason(t, rng, 2, 3, cycles, 100*time.Millisecond), rng: rng, programs: programs,
		annulled: map[string][2]int{}, archived: map[bool]bool{false: true}, done: map[string]int{}, refused: map[string]int{},
	}
	rpctest.Eventually(t, "the first result", func() bool { return recorded(o.root) > 0 })
	if out, err := run("create", side, "--root", o.root, "--manager", o.url, "--players", "2"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kinds := []struct {
		name string
		give func() error
	}{
		{"backup", o.backup}, {"move", o.move}, {"archive", o.archive}, {"annul", o.annul}, {"upgrade", o.upgrade},
	}
	held, results := false, 0
	for n := range orders {
		held = held || o.hold()
		kind := kinds[n%len(kinds)]
		if err := kind.give(); err != nil {
			o.refused[kind.name+": "+err.Error()]++
		} else {
			o.done[kind.name]++
		}
		o.back()
		if now := recorded(o.root); now < results-len(o.annulled) {
			t.Fatalf("the journal had %d results and has %d", results, now)
		} else {
			results = now
		}
	}
	t.Logf("seed %d: done %v", seed, o.done)
	for _, refusal := range slices.Sorted(maps.Keys(o.refused)) {
		t.Logf("%d times %s", o.refused[refusal], refusal)
	}
	if over(o.root) {
		t.Errorf("the league was over before the last order")
	}
	if held {
		rpctest.Eventually(t, "the end of the pause", func() bool {
			_, err := run("resume", "--root", o.root, "--manager", o.url)
			return err == nil
		})
	}
	o.finish()
	o.check()
	checkAnnulments(t, o.root, leagueID, o.annulled)
}

// varying matches the parts in which two refusals for the same reason may differ.
var varying = regexp.MustCompile(`process \d+|/tmp/\S*|localhost:\d+|10\.77\.0\.\d+|since [^:]+:\d\d:\d\dZ|R\d+M\d+`)

// during runs league while the manager is killed.
func (o *operator) during(latest time.Duration, args ...string) error {
	return during(o.t, o.rng, o.manager, latest, args...)
}

// during runs league, kills a manager at a random time before latest, and returns an error with the output unless league
// succeeded.
func during(t *testing.T, rng *rand.Rand, victim *agent, latest time.Duration, args ...string) error {
	t.Helper()
	killed := make(chan struct{})
	pause := time.Duration(rng.Int64N(int64(latest)))
	go func() {
		defer close(killed)
		time.Sleep(pause)
		victim.kill()
	}()
	out, err := run(args...)
	<-killed
	if err == nil {
		return nil
	}
	if out = strings.TrimSpace(out); !strings.HasPrefix(out, "league: ") {
		t.Errorf("league %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return errors.New(varying.ReplaceAllString(strings.TrimPrefix(out, "league: "), "…"))
}

// back starts the manager again and waits until it answers.
func (o *operator) back() {
	if !o.manager.running() {
		o.manager.start()
	}
	rpctest.Eventually(o.t, "a manager that answers", func() bool {
		if !o.manager.running() {
			o.t.Fatalf("the manager has ended: %s", tail(o.manager.said()))
		}
		resp, err := http.Get(strings.TrimSuffix(o.url, "/mcp") + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
}

// backup takes a backup of the league, and restores it into another root, which verifies it.
func (o *operator) backup() error {
	file := filepath.Join(o.t.TempDir(), "league.zip")
	if err := o.during(80*time.Millisecond, "backup", leagueID, "--root", o.root, "--to", file); err != nil {
		return err
	}
	if out, err := run("restore", file, "--root", o.t.TempDir()); err != nil {
		o.t.Errorf("a backup cannot be restored: %v: %s", err, out)
	}
	return nil
}

// move moves the league to another root, if its manager is killed in time.
func (o *operator) move() error {
	file, to := filepath.Join(o.t.TempDir(), "league.zip"), o.t.TempDir()
	if err := o.during(20*time.Millisecond, "backup", "--all", "--move", "--root", o.root, "--to", file); err != nil {
		return err
	}
	if out, err := run("restore", file, "--root", to); err != nil {
		o.t.Fatalf("a league that was moved cannot be restored: %v: %s", err, out)
	}
	o.manager.args[slices.Index(o.manager.args, o.root)] = to
	o.root = to
	return nil
}

// archive archives the other league, or brings it back.
func (o *operator) archive() error {
	if is := o.isArchived(); !o.archived[is] {
		o.t.Errorf("%s: archived is %v, want one of %v", side, is, o.archived)
	}
	args, away := []string{"archive", side, "--root", o.root, "--manager", o.url}, !o.isArchived()
	if !away {
		args = append(args, "--undo")
	}
	err := o.during(80*time.Millisecond, args...)
	lost := err != nil && strings.Contains(err.Error(), client.ErrUnconfirmed.Error())
	o.archived = map[bool]bool{away: err == nil || lost, !away: err != nil}
	return err
}

// isArchived reports whether the manager has archived the other league.
func (o *operator) isArchived() bool {
	out, err := run("leagues", "--archived", "--root", o.root, "--manager", o.url)
	if err != nil {
		o.t.Errorf("%v: %s", err, out)
	}
	return strings.Contains(out, side)
}

// annul annuls the newest result.
func (o *operator) annul() error {
	s, err := state(o.root)
	if err != nil {
		return err
	}
	match := newestResult(s)
	why := fmt.Sprintf("reason %d", len(o.annulled))
	err = o.during(80*time.Millisecond, "annul", match, "--why", why, "--root", o.root, "--manager", o.url)
	o.annulled[why] = timesInLog(err)
	return err
}

// newestResult returns the match with the newest result.
func newestResult(s *league.State) (match string) {
	var newest time.Time
	for id, m := range s.Matches {
		if m.Outcome != nil && m.EndedAt.After(newest) {
			match, newest = id, m.EndedAt
		}
	}
	return match
}

// timesInLog returns the least and the largest number of times that the log may have an order with this error.
func timesInLog(err error) [2]int {
	switch {
	case err == nil:
		return [2]int{1, 1}
	case strings.Contains(err.Error(), client.ErrUnconfirmed.Error()):
		return [2]int{0, 1}
	}
	return [2]int{}
}

// upgrade interrupts the manager, kills it if that takes longer, and starts the other program.
func (o *operator) upgrade() error {
	o.programs = append(o.programs[1:], o.programs[0])
	ended := make(chan error, 1)
	go func() { ended <- o.manager.interrupt() }()
	time.Sleep(time.Duration(o.rng.IntN(300)) * time.Millisecond) // a random moment
	o.manager.kill()
	<-ended
	o.manager.argv = []string{o.programs[0]}
	return nil
}

// checkAnnulments fails the test unless confirmed annulments are in the log of a league, each once, and refused ones are
// not.
func checkAnnulments(t *testing.T, root, id string, annulled map[string][2]int) {
	t.Helper()
	times := map[string]int{}
	for e, err := range journal.ReadFile(journal.Path(filepath.Join(root, "data"), id)) {
		if err != nil {
			t.Fatal(err)
		}
		_, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			if a, ok := event.(league.Annulled); ok {
				times[a.Why]++
			}
		}
	}
	for why, want := range annulled {
		if n := times[why]; n < want[0] || n > want[1] {
			t.Errorf("%s is in the log %d times, want %v", why, n, want)
		}
	}
}
