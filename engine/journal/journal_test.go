package journal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/journal"
)

func TestJournalKeepsTheLaws(t *testing.T) {
	enginetest.Run(t, enginetest.Options{Virtual: true, Exclusive: true}, func(t *testing.T) enginetest.Store {
		dir := t.TempDir()
		return enginetest.Store{
			Open: func(t *testing.T) engine.Engine { return open(t, dir) },
			Damage: func(t *testing.T, log string, seq uint64) {
				lines := readLines(t, journal.Path(dir, log))
				write(t, journal.Path(dir, log), join(append(lines[:seq-1], lines[seq:]...)))
			},
		}
	})
}

func TestLinesAreReadableAndChained(t *testing.T) {
	dir := t.TempDir()
	batches := []string{
		`[{"type":"LeagueCreated"}]`, "not JSON", `{"a": [1,  2]}`, "{}\n", `"é"`, " {}", "\"\xff\"", `{"a":1}{}`,
	}
	fill(t, dir, "league", batches...)

	prev := strings.Repeat("0", 64)
	lines := readLines(t, journal.Path(dir, "league"))
	if len(lines) != len(batches) {
		t.Fatalf("got %d lines, want %d", len(lines), len(batches))
	}
	for i, line := range lines {
		var got struct {
			Seq          int
			Prev, SHA256 string
			Timestamp    time.Time
			Events       json.RawMessage
			Data         []byte
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("line %d: %v\n%s", i+1, err, line)
		}
		if payload := string(got.Events) + string(got.Data); payload != batches[i] {
			t.Errorf("line %d: got payload %q, want %q", i+1, payload, batches[i])
		}
		body, _, _ := strings.Cut(line, `,"sha256":"`)
		if want := sum(body); got.Seq != i+1 || got.SHA256 != want || got.Prev != prev {
			t.Errorf("line %d: got seq %d, sha256 %s, prev %s, want %d, %s, %s", i+1, got.Seq, got.SHA256, got.Prev,
				i+1, want, prev)
		}
		if age := time.Since(got.Timestamp); age < -time.Second || age > time.Minute {
			t.Errorf("line %d is %v old", i+1, age)
		}
		prev = sum(line)
	}
	want := fmt.Sprintf("{\"seq\":%d,\"line_sha256\":%q}\n", len(batches), prev)
	if got := string(read(t, headOf(dir, "league"))); got != want {
		t.Errorf("head: got %s, want %s", got, want)
	}
}

func TestOnlyJSONOnOneLineStandsAsItIs(t *testing.T) {
	for batch, plain := range map[string]bool{
		`{}`: true, `[1, 2]`: true, `"é"`: true, `0`: true, "{\t}": true,
		` {}`: false, `{} `: false, "{\n}": false, "{\r}": false, "{}\r": false, "\t0": false,
		"\"\xff\"": false, "\"\x00\"": false, `{`: false, `{}{}`: false, `hello`: false,
	} {
		dir := t.TempDir()
		fill(t, dir, "league", batch)
		line := readLines(t, journal.Path(dir, "league"))[0]
		want := `,"data":"` + base64.StdEncoding.EncodeToString([]byte(batch)) + `"`
		if plain {
			want = `,"events":` + batch
		}
		if body, _, _ := strings.Cut(line, `,"sha256":"`); !strings.HasSuffix(body, want) {
			t.Errorf("%q: got line %s, want it to end in %s and its hash", batch, line, want)
		}
	}
}

func TestReadFileSeesALogInUseAndChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time stands still, so the head stays behind
		dir := t.TempDir()
		e := open(t, dir)
		defer e.Close()
		appendAll(t, e, "league", 0, "one", "two")
		before := snapshot(t, dir)
		wantEntries(t, "read a file in use", journal.ReadFile(journal.Path(dir, "league")), "one", "two")
		if !maps.EqualFunc(before, snapshot(t, dir), bytes.Equal) {
			t.Error("reading changed a file")
		}
		for range journal.ReadFile(journal.Path(dir, "league")) {
			break // it can be broken off
		}
	})
}

func TestReadFileOfNothingSaysSo(t *testing.T) {
	_, err := collect(journal.ReadFile(journal.Path(t.TempDir(), "league")))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestReadCanBeCancelledHalfWay(t *testing.T) {
	e := open(t, t.TempDir())
	defer e.Close()
	appendAll(t, e, "league", 0, "one", "two", "three")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []error
	for _, err := range e.Read(ctx, "league", 0) {
		got = append(got, err)
		cancel()
	}
	if len(got) != 2 || got[0] != nil || !errors.Is(got[1], context.Canceled) {
		t.Errorf("got %v, want one entry and then %v", got, context.Canceled)
	}
}

func TestAWrongFolderIsRefusedByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := journal.Open(filepath.Join(file, "data"), journal.Options{}); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("got error %v, want one that names %s", err, file)
	}
}

func TestALogThatCannotBeOpenedIsRefusedByName(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "league", "one")
	for _, path := range []string{journal.Path(dir, "league"), headOf(dir, "league")} {
		content := read(t, path)
		os.Remove(path)
		os.Mkdir(path, 0o755)
		e := open(t, dir)
		_, err := e.Append(t.Context(), "league", 1, []byte("two"))
		if err == nil || errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("got error %v, want one that names %s", err, path)
		}
		e.Close()
		os.Remove(path)
		write(t, path, string(content))
	}
	wantLog(t, dir, "league", "one")
}

// Helpers of all tests follow.

func open(t testing.TB, dir string) *journal.Engine {
	t.Helper()
	e, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fill appends batches to an empty log and closes the engine.
func fill(t testing.TB, dir, log string, batches ...string) {
	t.Helper()
	e := open(t, dir)
	appendAll(t, e, log, 0, batches...)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func appendAll(t testing.TB, e engine.Engine, log string, prev uint64, batches ...string) {
	t.Helper()
	for i, b := range batches {
		if _, err := e.Append(t.Context(), log, prev+uint64(i), []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
}

// wantLog opens dir and wants the log to be that.
func wantLog(t testing.TB, dir, log string, want ...string) {
	t.Helper()
	e := open(t, dir)
	defer e.Close()
	wantEntries(t, log, e.Read(t.Context(), log, 0), want...)
}

func wantEntries(t testing.TB, what string, entries func(func(engine.Entry, error) bool), want ...string) {
	t.Helper()
	got, err := collect(entries)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%s: got %d entries and error %v, want %d", what, len(got), err, len(want))
	}
	for i, e := range got {
		if e.Seq != uint64(i)+1 || string(e.Data) != want[i] {
			t.Errorf("%s: got entry %d %q, want %d %q", what, e.Seq, e.Data, i+1, want[i])
		}
	}
}

func collect(entries func(func(engine.Entry, error) bool)) (out []engine.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func headOf(dir, log string) string {
	return filepath.Join(filepath.Dir(journal.Path(dir, log)), "journal.head")
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(read(t, path)), "\n"), "\n")
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// snapshot is every file below dir, as a process that is killed leaves them.
func snapshot(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			out[name] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// restore puts a snapshot into a new folder.
func restore(t testing.TB, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, string(content))
	}
	return dir
}
