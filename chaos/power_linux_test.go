package chaos_test

import (
	"bytes"
	"encoding/json"
	"errors"
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

	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/wal"
)

// apart is set in the child process that may mount, in its own namespace, so that the disk is removed with the process.
const apart = "LEAGUE_POWER_DISK"

// keep is the share of the unsynced data that a disk keeps, by cut. The first cut of a league keeps nothing.
var keep = []float64{0, 0.5, 1, 0.9, 0.5, 0}

// TestPowerCutLosesNothingAcknowledged runs a whole league on a disk whose power is cut at random moments. The disk
// keeps the synced data and some of the other data, and the same command continues from there.
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

// TestARefereesRecordAndItsOrderSurviveAPowerCut saves records and cuts the power as soon as they are acknowledged.
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
		d = d.withRecords(t, func(records *store.Records) {
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
		d.withRecords(t, func(records *store.Records) {
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

// withRecords lets f use a referee's records on a disk, and returns the disk.
func (d *disk) withRecords(t *testing.T, f func(*store.Records)) *disk {
	t.Helper()
	dir := t.TempDir()
	defer d.mount(t, dir)()
	root, err := store.Open(filepath.Join(dir, "SHARED"), nil)
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

// promises are acknowledgements that a power cut must not revoke.
type promises struct {
	told  []string // matches whose result the manager has acknowledged
	heard []string // matches whose end a player has received
}

// promises reads them from the writes to the disk: a referee notes the acknowledgement of a result, and a player stores
// the end of a match.
func (d *disk) promises() (p promises) {
	for name, text := range d.files("/records.log") {
		var once []string
		scan(text, func(it wal.Item) {
			if match, _ := store.RecordOf(it); it.Kind == reported && strings.Contains(name, "/data/referees/") {
				once = append(once, match)
			}
		})
		p.told = append(p.told, once...)
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

// Kinds of entries in the log of a referee.
const (
	aRecord  = 1
	anOrder  = 2
	reported = 3
)

// scan calls each for the entries of a log.
func scan(text []byte, each func(wal.Item)) {
	_, _ = wal.Scan(bytes.NewReader(text), int64(len(text)), each)
}

// matches are those that a referee's logs on the disk have an entry of that kind about.
func (d *disk) matches(kind byte) map[string]bool {
	out := map[string]bool{}
	for name, text := range d.files("/records.log") {
		scan(text, func(it wal.Item) {
			if match, _ := store.RecordOf(it); it.Kind == kind && strings.Contains(name, "/data/referees/") {
				out[match] = true
			}
		})
	}
	return out
}

// hold checks that a disk still has the promised data.
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
	records, orders := d.matches(aRecord), d.matches(anOrder)
	for _, match := range p.heard {
		if m := s.Matches[match]; (m == nil || m.Outcome == nil) && !orders[match] {
			t.Errorf("players had heard the end of %s before a power cut, and nobody will report it", match)
		}
		if !records[match] {
			t.Errorf("players had heard the end of %s before a power cut, and its record is lost", match)
		}
	}
}
