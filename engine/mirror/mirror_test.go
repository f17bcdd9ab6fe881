package mirror_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/engine/line"
	"agentleague/engine/mirror"
	"agentleague/engine/sim"
)

// A source is a mirror of an engine whose lines the test supplies.
type source struct {
	*mirror.Engine
	dir  string
	copy func(log string, seq uint64, line []byte)
	said bytes.Buffer
}

func open(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{dir: dir}
	var err error
	s.Engine, err = mirror.Open(mirror.Options{Dir: dir, Secrets: []string{"referee"}, Logger: slog.New(slog.NewTextHandler(&s.said, nil))},
		func(copy func(string, uint64, []byte)) (engine.Engine, error) {
			s.copy = copy
			return sim.New(1).Open(sim.Options{}), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close(t) })
	return s
}

func (s *source) close(t *testing.T) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// lines returns the first lines of a log of that name.
func lines(name string, n int) (out [][]byte) {
	prev := line.Hash{}
	for seq := range uint64(n) {
		text := line.Append(nil, seq+1, prev, time.Unix(1e9, 0), line.Ready(fmt.Appendf(nil, "[%q,%d]", name, seq)))
		out, prev = append(out, text), line.Of(text)
	}
	return out
}

// tell passes the lines from a number on to the mirror.
func (s *source) tell(from int, log [][]byte) {
	for i := from - 1; i < len(log); i++ {
		s.copy("league", uint64(i+1), bytes.Clone(log[i]))
	}
}

// holds fails unless the copy is a whole journal of exactly these lines.
func (s *source) holds(t *testing.T, want [][]byte) {
	t.Helper()
	path := journal.Path(s.dir, "league")
	text, err := os.ReadFile(path)
	if all := append(bytes.Join(want, []byte("\n")), '\n'); err != nil || !bytes.Equal(text, all) {
		t.Errorf("%v, the copy is\n%s\nwant\n%s", err, text, all)
	}
	n := 0
	for _, err := range journal.ReadFile(path) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("it reads as %d lines, want %d", n, len(want))
	}
}

func TestTheCopyIsAJournalOfTheSameBytes(t *testing.T) {
	s := open(t, t.TempDir())
	log := lines("a", 6)
	s.tell(1, log[:3])
	s.holds(t, log[:3])
	s.tell(1, log[:4]) // read again, with one more
	s.tell(6, log)     // a line without the one before it
	s.tell(2, log[:5])
	s.holds(t, log[:5])
	s.close(t)
	head, err := os.ReadFile(journal.HeadPath(journal.Path(s.dir, "league")))
	if want := string(line.AppendHead(nil, 5, line.Of(log[4]))); err != nil || string(head) != want {
		t.Errorf("at the end the head is %q, %v, want %q", head, err, want)
	}
}

func TestTheCopyGoesOnAfterARestartWhateverItEndsIn(t *testing.T) {
	log := lines("a", 6)
	for name, tail := range map[string][]byte{"nothing": nil, "half a line": log[3][:20], "a line that was changed": append(bytes.ToUpper(log[3]), '\n')} {
		s := open(t, t.TempDir())
		s.tell(1, log[:3])
		s.close(t)
		file, err := os.OpenFile(journal.Path(s.dir, "league"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(tail); err != nil {
			t.Fatal(err)
		}
		file.Close()
		again := open(t, s.dir)
		again.tell(1, log)
		t.Run(name, func(t *testing.T) { again.holds(t, log) })
	}
}

// A journal that was there before, of another league of the same name, is put aside and kept.
func TestWhatIsNotTheClustersIsPutAside(t *testing.T) {
	dir, ours, theirs := t.TempDir(), lines("ours", 4), lines("theirs", 3)
	before := open(t, dir)
	before.tell(1, ours)
	before.close(t)
	s := open(t, dir)
	s.tell(1, theirs)
	s.holds(t, theirs)
	kept, err := filepath.Glob(journal.Path(dir, "league") + ".*")
	if err != nil || len(kept) != 1 {
		t.Fatalf("put aside: %v, %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(text, append(bytes.Join(ours, []byte("\n")), '\n')) {
		t.Errorf("%s: %v\n%s", kept[0], err, text)
	}
}

func TestACopyThatCannotBeKeptIsSaidOnceAndStopsNothing(t *testing.T) {
	s := open(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(s.dir, "leagues"), nil, 0o600); err != nil { // a file where a folder should be
		t.Fatal(err)
	}
	s.tell(1, lines("a", 3))
	if said := s.said.String(); strings.Count(said, "cannot be kept") != 1 {
		t.Errorf("it says %q", said)
	}
}

func TestOneProcessHasADataFolder(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.HeldAt("http://here/mcp"); err != nil {
		t.Fatal(err)
	}
	_, err := mirror.Open(mirror.Options{Dir: s.dir}, nil)
	if err == nil || !strings.Contains(err.Error(), "in use by") || !strings.Contains(err.Error(), "http://here/mcp") {
		t.Errorf("a second process: %v", err)
	}
}

func TestSecretsThatAgentsNeedAreCopied(t *testing.T) {
	s := open(t, t.TempDir())
	secret, err := s.Secret(t.Context(), "referee")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := journal.SharedSecret(s.dir, "referee"); err != nil || !bytes.Equal(found, secret) {
		t.Errorf("agents find %x, %v, want %x", found, err, secret)
	}
	if _, err := s.Secret(t.Context(), "draw.league"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "secrets", "draw.league")); err == nil {
		t.Error("a secret that no agent needs is in the data folder")
	}
	other := t.TempDir()
	if _, err := journal.SharedSecret(other, "referee"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, other).Secret(t.Context(), "referee"); err == nil || !strings.Contains(err.Error(), "take an empty one") {
		t.Errorf("a root that was used without the cluster: %v", err)
	}
}
