package verify_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"agentleague/verify"
)

// oldLeague is a league whose records have a member for a drawn number although its game draws none.
func oldLeague(t *testing.T) fstest.MapFS {
	t.Helper()
	text, err := os.ReadFile("testdata/numbers_everywhere.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	for _, f := range txtar.Parse(text).Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return root
}

func TestALeagueWithNumbersInEveryGameIsStillVerified(t *testing.T) {
	t.Parallel()
	v := verify.League(oldLeague(t), theLeague, verify.Proofs{})
	if !v.OK || v.Records != 3 || v.Verified != 1 || v.Proven != 1 {
		t.Errorf("got %v, %d records, %d verified, %d proven; want 3, 1 and 1", v.Differences, v.Records, v.Verified, v.Proven)
	}
}

func TestAForgedRecordOfSuchALeagueIsFound(t *testing.T) {
	t.Parallel()
	for _, match := range []string{"R1M1", "R2M1"} { // a referee's record, and one of the manager's own
		root, name := oldLeague(t), "data/matches/"+theLeague+"/"+match+".json"
		text := strings.Replace(string(root[name].Data), `"drawn_number": null`, `"drawn_number": 4`, 1)
		root[name] = &fstest.MapFile{Data: []byte(text)}
		if v := verify.League(root, theLeague, verify.Proofs{}); v.OK || v.Differences[0].File != name {
			t.Errorf("%s: got %v, want a difference", match, v.Differences)
		}
	}
}
