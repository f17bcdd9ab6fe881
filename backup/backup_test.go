package backup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agentleague/backup"
	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli"
	"agentleague/store"
	"agentleague/verify"
)

const theLeague = "league_2025_even_odd"

// played is a root with a league of six matches, and a backup of it.
var played = sync.OnceValues(func() (string, error) {
	root, err := os.MkdirTemp("", "league")
	if err != nil {
		return "", err
	}
	var errs bytes.Buffer
	if cli.Main([]string{"run", "--port", "0", "--json", "--root", root}, io.Discard, &errs) != 0 {
		return root, fmt.Errorf("run: %s", errs.String())
	}
	file, err := os.Create(filepath.Join(root, "backup.zip"))
	if err != nil {
		return root, err
	}
	_, err = backup.Take(context.Background(), os.DirFS(root), []string{theLeague}, nil, file)
	return root, errors.Join(err, file.Close())
})

func TestMain(m *testing.M) {
	code := m.Run()
	if root, _ := played(); root != "" {
		os.RemoveAll(root)
	}
	os.Exit(code)
}

func playedRoot(t *testing.T) string {
	t.Helper()
	root, err := played()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestARestoredLeagueIsTheSame(t *testing.T) {
	t.Parallel()
	from := playedRoot(t)
	to := t.TempDir()
	done := mustRestore(t, filepath.Join(from, "backup.zip"), to)
	if len(done) != 1 || done[0].ID != theLeague || done[0].Results != 6 || len(done[0].Notes) != 0 {
		t.Errorf("got %+v", done)
	}
	for _, name := range []string{
		"data/leagues/" + theLeague + "/journal.jsonl", "data/leagues/" + theLeague + "/journal.head",
		"data/secrets/token." + theLeague, "data/secrets/referee", "data/matches/" + theLeague + "/R1M1.json",
	} {
		if got, want := read(t, to, name), read(t, from, name); got != want {
			t.Errorf("%s: got %.80q, want %.80q", name, got, want)
		}
	}
	if v := verify.Patiently(os.DirFS(to), theLeague); !v.OK || v.Records != 12 || v.Proven != 6 || v.FinalSignatures != 4 {
		t.Errorf("got %+v", v)
	}
	for _, name := range []string{"data/secrets/draw." + theLeague, "data/identities/" + theLeague + "/player-agent-alpha.json"} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s: got %v, %v, want mode 0600", name, info.Mode(), err)
		}
	}
}

func TestABackupThatWasChangedIsRefusedByTheNameOfTheFile(t *testing.T) {
	t.Parallel()
	from := filepath.Join(playedRoot(t), "backup.zip")
	log := "data/leagues/" + theLeague + "/journal.jsonl"
	for what, c := range map[string]struct {
		change func(name string, text []byte) []byte
		add    string
		want   string
	}{
		"a changed record": {change: in("data/matches/"+theLeague+"/R1M1.json", `"P01"`, `"P02"`), want: "R1M1.json was changed"},
		"a changed log":    {change: in(log, "Agent Alpha", "Agent Omega"), want: "journal.jsonl was changed"},
		"a lost file":      {change: without("data/secrets/draw." + theLeague), want: "data/secrets/draw." + theLeague + " is missing"},
		"another format":   {change: in("manifest.json", "backup.v1", "backup.v9"), want: `format "league.backup.v9"`},
		"no manifest":      {change: without("manifest.json"), want: "no manifest.json"},
		"a file too many":  {add: "data/admin.token", want: "its manifest names"},
	} {
		file := filepath.Join(t.TempDir(), "changed.zip")
		rewrite(t, from, file, c.change, c.add)
		a, err := backup.Open(file)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want an error with %q and the file", what, err, c.want)
		}
	}
}

func TestALeagueWithAnotherHistoryIsLeftAlone(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	root := openRoot(t, to)
	disk, err := journal.Open(filepath.Join(to, "data"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if _, err := disk.Append(t.Context(), theLeague, 0, []byte(`["another"]`)); err != nil {
		t.Fatal(err)
	}
	a := open(t, filepath.Join(playedRoot(t), "backup.zip"))
	if _, err := a.Restore(t.Context(), backup.Target{Engine: disk, Root: root}); !errors.Is(err, engine.ErrTaken) {
		t.Errorf("got %v, want %v", err, engine.ErrTaken)
	}
	for _, name := range []string{"data/matches/" + theLeague, "data/secrets/token." + theLeague} {
		if _, err := os.Stat(filepath.Join(to, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestARefusedRestoreNamesTheObstacle(t *testing.T) {
	t.Parallel()
	a := open(t, filepath.Join(playedRoot(t), "backup.zip"))
	for _, c := range []struct {
		what, want string
		obstruct   func(disk *journal.Engine, to backup.Target) error
	}{
		{"a longer log", "entries that are not in the backup, and is left as it is", func(disk *journal.Engine, to backup.Target) error {
			_, err := a.Restore(t.Context(), to)
			if err == nil {
				_, err = disk.Append(t.Context(), theLeague, uint64(a.Manifest.Leagues[0].Entries), []byte(`["more"]`))
			}
			return err
		}},
		{"another secret", " there is kept, and nothing of the league was restored", func(disk *journal.Engine, _ backup.Target) error {
			return disk.PutSecret(t.Context(), "draw."+theLeague, bytes.Repeat([]byte{7}, engine.SecretSize))
		}},
	} {
		dir := t.TempDir()
		root := openRoot(t, dir)
		disk, err := journal.Open(filepath.Join(dir, "data"), journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		to := backup.Target{Engine: disk, Root: root}
		if err := c.obstruct(disk, to); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Restore(t.Context(), to); !errors.Is(err, engine.ErrTaken) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestARefereeSecretOfTheNewPlaceStays(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	if _, err := journal.SharedSecret(filepath.Join(to, "data"), "referee"); err != nil {
		t.Fatal(err)
	}
	before := read(t, to, "data/secrets/referee")
	done := mustRestore(t, filepath.Join(playedRoot(t), "backup.zip"), to)
	if len(done[0].Notes) != 1 || !strings.Contains(done[0].Notes[0], "guests") || read(t, to, "data/secrets/referee") != before {
		t.Errorf("got %+v; the secret has changed: %v", done, read(t, to, "data/secrets/referee") != before)
	}
}

// in replaces a text in one file.
func in(file, old, by string) func(string, []byte) []byte {
	return func(name string, text []byte) []byte {
		if name == file {
			return bytes.Replace(text, []byte(old), []byte(by), 1)
		}
		return text
	}
}

// without loses one file.
func without(file string) func(string, []byte) []byte {
	return func(name string, text []byte) []byte {
		if name == file {
			return nil
		}
		return text
	}
}

// rewrite copies a zip file with changed files; a file that becomes nil is omitted.
func rewrite(t *testing.T, from, to string, change func(string, []byte) []byte, add string) {
	t.Helper()
	z, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	put := func(name string, text []byte) {
		if f, err := w.Create(name); err == nil {
			_, err = f.Write(text)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		if change != nil {
			text = change(f.Name, text)
		}
		if text != nil {
			put(f.Name, text)
		}
	}
	if add != "" {
		put(add, []byte("tok_admin_mine\n"))
	}
	if err := errors.Join(w.Close(), os.WriteFile(to, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, file string) *backup.Archive {
	t.Helper()
	a, err := backup.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func openRoot(t *testing.T, dir string) *store.Root {
	t.Helper()
	root, err := store.Open(dir, host.Games())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// mustRestore restores a backup into a root with a journal.
func mustRestore(t *testing.T, file, dir string) []backup.Restored {
	t.Helper()
	root := openRoot(t, dir)
	disk, err := journal.Open(filepath.Join(dir, "data"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done, err := open(t, file).Restore(t.Context(), backup.Target{Engine: disk, Root: root})
	if err := errors.Join(err, disk.Close()); err != nil {
		t.Fatal(err)
	}
	return done
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
