package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// A league of every game there is, over HTTP: it ends, it verifies, its records replay, and it has no word of another game.
func TestLongEveryGameIsPlayedInALeague(t *testing.T) {
	t.Parallel()
	for _, gameType := range catalog.Types() {
		t.Run(gameType, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			var end struct {
				ID       string `json:"league_id"`
				Status   string `json:"status"`
				Matches  int    `json:"matches"`
				Forfeits int    `json:"technical_losses"`
			}
			printed(t, &end, "run", "--port", "0", "--json", "--game", gameType, "--players", "2", "--referees", "1", "--root", root)
			if end.ID != "league_2025_"+gameType || end.Status != "COMPLETED" || end.Matches != 1 || end.Forfeits != 0 {
				t.Errorf("got %+v, want a match without a forfeit", end)
			}
			var verified struct {
				OK      bool `json:"ok"`
				Matches int  `json:"matches_verified"`
			}
			if printed(t, &verified, "verify", "--json", "--root", root); !verified.OK || verified.Matches != 1 {
				t.Errorf("got %+v, want a match that follows from its moves", verified)
			}
			replaysAsPlayed(t, root, end.ID)
			if gameType != protocol.EvenOdd {
				speaksNotOfEvenOdd(t, os.DirFS(root))
				var table bytes.Buffer
				if code := Main([]string{"export", "results", "--root", root}, &table, io.Discard); code != 0 ||
					!strings.HasPrefix(table.String(), "match_id,") || strings.Contains(table.String(), "drawn_number") {
					t.Errorf("export: exit %d, %s", code, table.String())
				}
			}
		})
	}
}

func TestTheRegistryOfANewRootIsTheCatalog(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if code := Main([]string{"init", "--root", root}, io.Discard, io.Discard); code != 0 {
		t.Fatalf("init: exit %d", code)
	}
	text, err := os.ReadFile(root + "/config/games/games_registry.json")
	if err != nil {
		t.Fatal(err)
	}
	var registry config.Games
	if err := json.Unmarshal(text, &registry); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range registry.Games {
		got = append(got, g.GameType)
	}
	if !slices.Equal(got, catalog.Types()) {
		t.Errorf("got %q, want %q", got, catalog.Types())
	}
}

// printed runs a command and decodes its output as JSON.
func printed(t *testing.T, into any, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(args, &out, &errs); code != 0 {
		t.Fatalf("league %s: exit %d: %s", strings.Join(args, " "), code, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		t.Fatalf("league %s: %v in %s", strings.Join(args, " "), err, out.String())
	}
}

// replaysAsPlayed wants the log, read again, to have the results that the records have.
func replaysAsPlayed(t *testing.T, root, id string) {
	t.Helper()
	state, err := league.Fold(store.Entries(journal.Path(root+"/data", id)))
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range state.Matches {
		text, err := os.ReadFile(root + "/data/matches/" + id + "/" + name + ".json")
		if err != nil {
			t.Error(err)
			continue
		}
		record, _ := store.FromReadable(text)
		rec, err := protocol.ParseRecord(record)
		if err != nil || !m.Says(rec.Report("").Result) || m.Outcome.RecordSHA256 != protocol.RecordHash(record) {
			t.Errorf("%s: %v; the log has %+v, the record %+v", name, err, m.Outcome.Result, rec.Result)
		}
	}
	if code := Main([]string{"replay", "R1M1", "--root", root}, io.Discard, io.Discard); code != 0 {
		t.Errorf("replay: exit %d", code)
	}
}

// speaksNotOfEvenOdd checks that the files of a league of another game do not mention Even/Odd. Its settings list all
// games.
func speaksNotOfEvenOdd(t *testing.T, root fs.FS) {
	t.Helper()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(name, "data/") && !strings.HasPrefix(name, "logs/") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		for _, word := range []string{"drawn_number", "parity", "PARITY", protocol.DrawingNumber, "Even/Odd"} {
			if at := bytes.Index(text, []byte(word)); at >= 0 {
				t.Errorf("%s: %s in %q", name, word, text[max(0, at-80):min(len(text), at+80)])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
