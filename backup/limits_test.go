package backup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agentleague/backup"
	"agentleague/engine"
	"agentleague/engine/journal"
)

// bomb writes a zip file whose directory states a size for its files: a thousand times their packed size.
func bomb(t *testing.T, size int64, names iter.Seq[string]) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bomb.zip")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for name := range names {
		to, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, UncompressedSize64: uint64(size), CompressedSize64: uint64(size / 1000)})
		if err == nil {
			_, err = to.Write(make([]byte, size/1000))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// numbered yields n names.
func numbered(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < n && yield(fmt.Sprintf("data/matches/%s/%d.json", theLeague, i)); i++ {
		}
	}
}

func TestABackupAboveALimitIsRefusedBeforeItIsUnpacked(t *testing.T) {
	for what, c := range map[string]struct {
		size  int64
		names iter.Seq[string]
		want  string
	}{
		"one file":      {700 << 20, slices.Values([]string{"manifest.json"}), "manifest.json has 734003200 bytes: want at most 67108864"},
		"a ratio":       {32 << 20, numbered(1), "0.json has 33554432 bytes unpacked and 33554 packed: want at most 100 times as many"},
		"many of them":  {1 << 20, numbered(70), "it has 73400320 bytes unpacked and"},
		"many entries":  {0, numbered(200_001), "it has 200001 files: want at most 200000"},
		"a large file":  {1<<30 + 1, numbered(1), "0.json has 1073741825 bytes unpacked: want at most 1073741824"},
		"a backslash":   {1, slices.Values([]string{`data/leagues/x/..\..\..\evil`}), `is not a name in a root`},
		"a drive":       {1, slices.Values([]string{`C:/evil`}), `"C:/evil" is not a name in a root`},
		"an upper path": {1, slices.Values([]string{"data/../../evil"}), `"data/../../evil" is not a name in a root`},
		"a whole path":  {1, slices.Values([]string{"/etc/evil"}), `"/etc/evil" is not a name in a root`},
	} {
		t.Run(what, func(t *testing.T) {
			file := bomb(t, c.size, c.names)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := backup.Open(file)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
				t.Errorf("it took %d MiB of memory", used)
			}
		})
	}
}

// The limit of the ratio is far from that of a league.
func TestALeagueIsPackedLessThanTheLimit(t *testing.T) {
	t.Parallel()
	z, err := zip.OpenReader(filepath.Join(playedRoot(t), "backup.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if f.UncompressedSize64 > 20*f.CompressedSize64 {
			t.Errorf("%s has %d bytes packed to %d", f.Name, f.UncompressedSize64, f.CompressedSize64)
		}
	}
}

// broken is an engine that fails when the log is written.
type broken struct{ *journal.Engine }

func (broken) Restore(context.Context, string, iter.Seq2[[]byte, error]) (engine.Mark, error) {
	return engine.Mark{}, errors.New("disk on fire")
}

// A restore that fails leaves the files of the root as they were: none of the new ones, and all of the old ones.
func TestAFailedRestoreLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	root := openRoot(t, to)
	old := filepath.Join(to, "data/matches", theLeague, "R1M1.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.WriteFile(old, []byte("old"), 0o644),
		os.Mkdir(filepath.Join(to, "data/.restore-"+theLeague), 0o755)); err != nil { // of a process that was killed
		t.Fatal(err)
	}
	disk, err := journal.Open(filepath.Join(to, "data"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	before := tree(t, to)
	delete(before, "data/.restore-"+theLeague)
	a := open(t, filepath.Join(playedRoot(t), "backup.zip"))
	if _, err := a.Restore(t.Context(), backup.Target{Engine: broken{disk}, Root: root}); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("got %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Restore(canceled, backup.Target{Engine: broken{disk}, Root: root}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	after := tree(t, to)
	for name, text := range after {
		if was, ok := before[name]; !ok || was != text {
			t.Errorf("%s: got %.40q, was there: %v, with %.40q", name, text, ok, was)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
	if _, err := a.Restore(t.Context(), backup.Target{Engine: disk, Root: root}); err != nil || read(t, to, "data/matches/"+theLeague+"/R1M1.json") == "old" {
		t.Errorf("the same restore without a fault: %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, "data/.restore-"+theLeague)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary folder: %v", err)
	}
}

// tree returns all files and folders below a folder with their contents. Locks and the folder of secrets, which the
// engine makes, are left out.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(name, ".lock") || name == "data/secrets" {
			return err
		}
		var text []byte
		if !d.IsDir() {
			text, err = os.ReadFile(filepath.Join(dir, name))
		}
		out[name] = string(bytes.TrimSpace(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSettingsThatRunAProgramNeedPermission(t *testing.T) {
	t.Parallel()
	from := playedRoot(t)
	settings := "config/leagues/" + theLeague + ".json"
	for name, c := range map[string]struct{ old, by, want string }{
		"a player":       {`"league_id"`, `"house": {"players": ["random", "exec:sh -c evil"]}, "league_id"`, "exec:sh -c evil"},
		"an escape":      {`"league_id"`, `"house": {"players": ["\u0065xec:evil"]}, "league_id"`, "exec:evil"},
		"the first of 2": {`"league_id"`, `"house": {"players": ["exec:evil"], "players": []}, "league_id"`, "exec:evil"},
		"none":           {`"league_id"`, `"house": {"players": ["random"]}, "league_id"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			copied := t.TempDir()
			if err := os.CopyFS(copied, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(read(t, copied, settings), c.old, c.by, 1)
			if err := os.WriteFile(filepath.Join(copied, settings), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "backup.zip"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = backup.Take(t.Context(), os.DirFS(copied), []string{theLeague}, nil, file)
			if err := errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			to := t.TempDir()
			root := openRoot(t, to)
			disk, err := journal.Open(filepath.Join(to, "data"), journal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer disk.Close()
			_, err = open(t, file.Name()).Restore(t.Context(), backup.Target{Engine: disk, Root: root})
			refused := (*backup.ProgramError)(nil)
			if errors.As(err, &refused) != (c.want != "") || refused != nil && refused.Strategy != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := open(t, file.Name()).Restore(t.Context(), backup.Target{Engine: disk, Root: root, Programs: true}); err != nil {
				t.Errorf("with permission: %v", err)
			}
		})
	}
}
