package chaos_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/files"
	"agentleague/protocol"
)

// apart is set in the process that may mount: in a namespace of its own, so that the disk is gone with it.
const apart = "LEAGUE_POWER_DISK"

// keep is how much of what was not synced a disk keeps, from cut to cut. The first one of a league leaves nothing.
var keep = []float64{0, 0.5, 1, 0.9, 0.5, 0}

// TestPowerCutLosesNothingAcknowledged runs a whole league on a disk whose power is cut at moments that nobody chose.
// Each time the disk keeps what was synced and some of what was not, and the same command goes on from there.
func TestPowerCutLosesNothingAcknowledged(t *testing.T) {
	if os.Getenv(apart) == "" {
		t.Parallel()
		runApart(t)
		return
	}
	cuts := 8
	if long() {
		cuts = 50
	}
	rng := rand.New(rand.NewPCG(5, 11))
	told, heard, leagues := 0, 0, 0
	for left := cuts; left > 0; leagues++ {
		d := newDisk()
		dir := t.TempDir()
		for n := 0; left > 0; n, left = n+1, left-1 {
			var promised promises
			var over bool
			d, promised, over = d.powered(t, rng, dir, keep[n%len(keep)])
			if over {
				break
			}
			told, heard = told+len(promised.told), heard+len(promised.heard)
			promised.hold(t, d)
		}
	}
	t.Logf("%d power cuts in %d leagues; %d acknowledged results and %d that players had heard were there afterwards",
		cuts, leagues, told, heard)
	if told == 0 || heard == 0 {
		t.Error("nothing was acknowledged before a cut: this shows nothing")
	}
}

// TestARefereesRecordAndItsOrderSurviveAPowerCut saves records and cuts the power as soon as that is said to be done.
func TestARefereesRecordAndItsOrderSurviveAPowerCut(t *testing.T) {
	if os.Getenv(apart) == "" {
		t.Parallel()
		runApart(t)
		return
	}
	rng := rand.New(rand.NewPCG(5, 12))
	d := newDisk()
	want := map[string]bool{}
	for n := range 4 {
		match := protocol.MatchID(1, n+1)
		want[match] = true
		d = d.withRecords(t, func(records *files.Records) {
			rec := protocol.MatchRecord{LeagueID: leagueID, MatchID: match, Attempt: 1}
			doc, _, err := rec.Document()
			if err == nil {
				err = records.Save(rec.Ref(), doc, []byte("the order of "+match))
			}
			if err != nil {
				t.Fatal(err)
			}
		}).cut(rng, 0)
		found := map[string]bool{}
		d.withRecords(t, func(records *files.Records) {
			for u, err := range records.Unreported() {
				if found[u.Ref.MatchID] = true; err != nil || string(u.Order) != "the order of "+u.Ref.MatchID {
					t.Errorf("got %s, %v", u.Order, err)
				}
			}
		})
		if !maps.Equal(found, want) {
			t.Errorf("after power cut %d: got %v, want %v", n+1, found, want)
		}
	}
}

// TestAnOrderThatIsWrittenBeforeItsRecordSurvivesAPowerCut has the orders of matches written when they begin. Whatever record
// is said to be kept has its order then, whether it was synced with the record or long before, or has changed meanwhile.
func TestAnOrderThatIsWrittenBeforeItsRecordSurvivesAPowerCut(t *testing.T) {
	if os.Getenv(apart) == "" {
		t.Parallel()
		runApart(t)
		return
	}
	rng := rand.New(rand.NewPCG(5, 13))
	order := func(n int) []byte { return fmt.Appendf(nil, "the order of match %d", n+1) }
	atTheEnd := func(n int) []byte {
		if n == 2 {
			return []byte("an order that has changed")
		}
		return order(n)
	}
	for ended := range 4 { // matches that are over before the cut
		d := newDisk().withRecords(t, func(records *files.Records) {
			for n := range 4 {
				rec := protocol.MatchRecord{LeagueID: leagueID, MatchID: protocol.MatchID(1, n+1), Attempt: 1}
				if err := records.Begun(rec.Ref(), order(n)); err != nil {
					t.Fatal(err)
				}
			}
			for n := range ended {
				rec := protocol.MatchRecord{LeagueID: leagueID, MatchID: protocol.MatchID(1, n+1), Attempt: 1}
				doc, _, err := rec.Line()
				if err == nil {
					err = records.Save(rec.Ref(), doc, atTheEnd(n))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}).cut(rng, 0)
		found := 0
		d.withRecords(t, func(records *files.Records) {
			for u, err := range records.Unreported() {
				want := string(atTheEnd(found))
				if found++; err != nil || string(u.Order) != want || u.Ref.MatchID != protocol.MatchID(1, found) {
					t.Errorf("%s: got %q, %v; want %q", u.Ref.MatchID, u.Order, err, want)
				}
			}
		})
		if found != ended {
			t.Errorf("after a power cut: %d results to tell, want %d", found, ended)
		}
	}
}

// withRecords lets f use what a referee has on a disk, and returns the disk.
func (d *disk) withRecords(t *testing.T, f func(*files.Records)) *disk {
	t.Helper()
	dir := t.TempDir()
	defer d.mount(t, dir)()
	root, err := files.Open(filepath.Join(dir, "SHARED"), nil)
	if err != nil {
		t.Fatal(err)
	}
	records, err := root.Records("REF01")
	if err != nil {
		t.Fatal(err)
	}
	f(records)
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// runApart runs the test again in a process that may mount.
func runApart(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), apart+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	refused := errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "may not mount")
	switch {
	case refused && os.Getenv("CI") == "true" && os.Geteuid() == 0:
		t.Errorf("root cannot mount a disk here: %v\n%s", err, out)
	case refused:
		t.Skipf("this test mounts a disk, which it may not here: %v; run it as root", err)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("%v\n%s", err, out)
	default:
		t.Log(regexp.MustCompile(`\d+ power cuts.*`).FindString(string(out)))
	}
}

// powered runs the league on a disk until its power is cut, or to its end. It returns the disk after the cut.
func (d *disk) powered(t *testing.T, rng *rand.Rand, dir string, keep float64) (after *disk, p promises, ended bool) {
	t.Helper()
	defer d.mount(t, dir)()
	root := filepath.Join(dir, "SHARED")
	before := max(0, recorded(root))
	a := newAgent(t, "run", "run", "--root", root, "--port", "0", "--players", "12", "--referees", "3")
	patience := time.Duration(rng.IntN(3000)) * time.Millisecond // it may be cut while it starts
	if rng.IntN(2) == 0 {
		patience = 30 * time.Second // or it is let play, however busy the machine is
	}
	for end := time.Now().Add(patience); a.running() && time.Now().Before(end); {
		if recorded(root) > before+rng.IntN(20) {
			break
		}
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
	}
	if !a.running() {
		if !over(root) {
			t.Fatalf("the league ended by itself: %s", a.said())
		}
		for _, breach := range laws(root) {
			t.Error(breach)
		}
		return nil, p, true
	}
	after = d.cut(rng, keep)
	a.kill()
	return after, d.promises(), false
}

// promises are what somebody has been told and a power cut must not take back.
type promises struct {
	told  []string // matches whose result the manager has acknowledged
	heard []string // matches whose end a player has heard
}

// promises reads them from what programs have done to the disk: a referee notes when a result is acknowledged, and a
// player writes down what it hears.
func (d *disk) promises() (p promises) {
	for _, text := range d.files("/unreported.jsonl") {
		for line := range bytes.Lines(text) {
			var note struct {
				MatchID  string `json:"match_id"`
				Reported bool   `json:"reported"`
			}
			if json.Unmarshal(line, &note) == nil && note.Reported {
				p.told = append(p.told, note.MatchID)
			}
		}
	}
	seen := map[string]bool{}
	for _, text := range d.files("/history.json") {
		var doc struct {
			Matches []protocol.PlayerMatch `json:"matches"`
		}
		_ = json.Unmarshal(text, &doc)
		for _, m := range doc.Matches {
			if !seen[m.MatchID] {
				seen[m.MatchID] = true
				p.heard = append(p.heard, m.MatchID)
			}
		}
	}
	return p
}

// orders are the matches that a referee will report when it is started.
func (d *disk) orders() map[string]bool {
	out := map[string]bool{}
	for _, text := range d.files("/unreported.jsonl") {
		for line := range bytes.Lines(text) {
			var l struct {
				MatchID string `json:"match_id"`
				Order   []byte `json:"order"`
			}
			if json.Unmarshal(line, &l) == nil && len(l.Order) > 0 {
				out[l.MatchID] = true
			}
		}
	}
	return out
}

// hold checks that a disk still has what was promised.
func (p promises) hold(t *testing.T, d *disk) {
	t.Helper()
	dir := t.TempDir()
	defer d.mount(t, dir)()
	s, err := state(filepath.Join(dir, "SHARED"))
	if err != nil {
		t.Fatalf("after a power cut: %v", err)
	}
	for _, match := range p.told {
		if m := s.Matches[match]; m == nil || m.Outcome == nil {
			t.Errorf("%s was acknowledged before a power cut and is lost", match)
		}
	}
	records, orders := d.files("/data/referees/"), d.orders()
	for _, match := range p.heard {
		if m := s.Matches[match]; (m == nil || m.Outcome == nil) && !orders[match] {
			t.Errorf("players had heard the end of %s before a power cut, and nobody will report it", match)
		}
		found := false
		for path, text := range records {
			found = found || strings.HasSuffix(path, "/"+match+".1.json") && json.Valid(text)
		}
		if !found {
			t.Errorf("players had heard the end of %s before a power cut, and its record is lost", match)
		}
	}
}
