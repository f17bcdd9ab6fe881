package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSizesAreThoseOfTheFilesForEachResult(t *testing.T) {
	root := t.TempDir()
	for name, size := range map[string]int{
		"data/leagues/l/journal.jsonl": 4096, "data/leagues/l/records.log": 77, "data/referees/REF01/l/records.log": 8192,
		"data/matches/l/R1M1.json": 1024, "data/matches/l/R1M2.json": 1024, "data/players/P01/history.json": 77,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := diskOf(root, 2)
	if want := (Disk{Log: 2, Record: 4, Copy: 1}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	r := someResult()
	r.Disk = got
	for _, want := range []string{"| log of a match of Even/Odd | 2 KiB |\n", "4 KiB each |\n", "| readable copy of the record, with the manager | 1 KiB |\n",
		"|  | 1,000 × 4 | 1,000 × 100 | 1 × 10,000 |", "| logs, MiB | 3.91 | 97.7 | 9.77 | 977 | 9,766 |\n"} {
		if !strings.Contains(r.Capacity(), want) {
			t.Errorf("got\n%s, want in it\n%s", r.Capacity(), want)
		}
	}
}
