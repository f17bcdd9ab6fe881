package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"agentleague/files"
	"agentleague/protocol"
)

// roundOne is where REF01 has the records of the first round.
const roundOne = "data/referees/REF01/" + league + "/round-1.jsonl"

// line is the least that can be a record of a single line.
func line(t testing.TB, r protocol.RecordRef, reason string) []byte {
	t.Helper()
	rec := protocol.MatchRecord{
		LeagueID: r.LeagueID, MatchID: r.MatchID, Attempt: r.Attempt, Result: protocol.GameResult{Reason: reason},
	}
	doc, _, err := rec.Line()
	mustSucceed(t, err)
	return doc
}

func TestRecordsOfASingleLineShareARoundsFile(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	first, second := ref("R1M1", 1), ref("R1M2", 3)
	doc := line(t, first, "even")
	mustSucceed(t, records.Save(first, doc, []byte("order")))
	mustSucceed(t, records.Save(second, line(t, second, "odd"), nil))
	want := `{"match_id":"R1M1","attempt":1,"sha256":"` + protocol.RecordHash(doc) + `","record":` + string(doc) + "}\n"
	if got := read(t, root, roundOne); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 2 {
		t.Errorf("got %s, want two lines, the first %s", got, want)
	}
	again := recordsOf(t, reopen(t, root.Dir()), "REF01")
	for _, r := range []*files.Records{records, again} {
		if got, err := r.Document(first); err != nil || string(got) != string(doc) {
			t.Errorf("got %s, %v; want %s", got, err, doc)
		}
		if got, err := r.Sealed(first, protocol.RecordHash(doc)); err != nil || string(got) != string(doc) {
			t.Errorf("sealed: got %s, %v; want %s", got, err, doc)
		}
		if _, err := r.Document(ref("R1M1", 2)); !errors.Is(err, files.ErrNoRecord) {
			t.Errorf("another attempt: got %v, want ErrNoRecord", err)
		}
		if _, err := r.Sealed(first, protocol.RecordHash(nil)); !errors.Is(err, files.ErrNoRecord) {
			t.Errorf("another hash: got %v, want ErrNoRecord", err)
		}
	}
	if got, errs := unreported(again); len(got) != 2 || got[0].Ref != first || string(got[0].Document) != string(doc) || errs != nil {
		t.Errorf("got %v, %q; want both unreported", got, errs)
	}
}

func TestALineIsNeverReplacedByItsReferee(t *testing.T) {
	root := open(t)
	records, r := recordsOf(t, root, "REF01"), ref("R1M1", 1)
	mustSucceed(t, records.Save(r, line(t, r, "even"), nil))
	mustSucceed(t, records.Reported(r))
	mustSucceed(t, records.Save(r, line(t, r, "even"), nil)) // the same again does nothing, also not to its order
	if got, errs := unreported(records); got != nil || errs != nil {
		t.Errorf("got %v, %q; want it to stay reported", got, errs)
	}
	wantError(t, records.Save(r, line(t, r, "odd"), nil),
		roundOne+": match R1M1, attempt 1: there is already another record of this attempt")
	wantError(t, records.Save(ref("R1M2", 1), line(t, r, "odd"), nil),
		`data/referees/REF01/league_2025_even_odd/R1M2.1.json: it is about match "R1M1" of "league_2025_even_odd", attempt 1`)
}

// Of many that end together each is kept, once, whoever's write it went with.
func TestRecordsThatEndTogetherAreAllKept(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	var saving sync.WaitGroup
	for n := range 60 {
		saving.Go(func() {
			r := ref(fmt.Sprintf("R%dM%d", n%5+1, n+1), 1) // more rounds than are kept open
			if err := records.Save(r, line(t, r, strings.Repeat("x", n*50)), []byte("order")); err != nil {
				t.Error(err)
			}
			if _, err := records.Document(r); err != nil {
				t.Error(err)
			}
		})
	}
	saving.Wait()
	if got, errs := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01")); len(got) != 60 || errs != nil {
		t.Errorf("got %d, %q; want 60", len(got), errs)
	}
}

// A crash may end a write anywhere. Whatever it left, what was told is there, and the next record is too.
func TestACrashWithinALineLosesThatLineAlone(t *testing.T) {
	root := open(t)
	first, second, third := ref("R1M1", 1), ref("R1M2", 1), ref("R1M3", 1)
	mustSucceed(t, recordsOf(t, root, "REF01").Save(first, line(t, first, "even"), []byte("one")))
	told := read(t, root, roundOne)
	mustSucceed(t, recordsOf(t, root, "REF01").Save(second, line(t, second, "odd"), []byte("two")))
	whole := read(t, root, roundOne)
	for cut := len(told); cut < len(whole); cut += 7 {
		write(t, root, roundOne, whole[:cut])
		root := reopen(t, root.Dir())
		records := recordsOf(t, root, "REF01")
		if got, _ := unreported(records); len(got) != 1 || got[0].Ref != first {
			t.Fatalf("cut at %d: got %v, want R1M1 alone", cut, got)
		}
		mustSucceed(t, records.Save(third, line(t, third, "even"), []byte("three")))
		mustSucceed(t, records.Save(second, line(t, second, "played again"), []byte("four")))
		got, errs := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01"))
		if len(got) != 3 || errs != nil {
			t.Fatalf("cut at %d: got %v, %q; want all three", cut, got, errs)
		}
	}
}

func TestADamagedLineIsNamedAndHidesNoOther(t *testing.T) {
	root := open(t)
	a, b, c := ref("R1M1", 1), ref("R1M2", 1), ref("R1M3", 1)
	for _, r := range []protocol.RecordRef{a, b} {
		mustSucceed(t, recordsOf(t, root, "REF01").Save(r, line(t, r, "even"), nil))
	}
	text := read(t, root, roundOne)
	write(t, root, roundOne, strings.Replace(text, `"reason":"even"`, `"reason":"odd!"`, 1)) // R1M1's
	records := recordsOf(t, reopen(t, root.Dir()), "REF01")
	_, err := records.Document(a)
	wantError(t, err, roundOne+":1: damaged: the record does not have the SHA-256 of its line; restore the file from a backup, "+
		"or delete the line: a manager fetches its copy of the record again, a referee's record is lost")
	if _, err := records.Document(b); err != nil {
		t.Error(err)
	}
	write(t, root, roundOne, text[1:])
	records = recordsOf(t, reopen(t, root.Dir()), "REF01")
	const named = roundOne + ":1: damaged: it is not the line of a match's record; "
	for _, r := range []protocol.RecordRef{a, c} { // it may be any record that is not found
		if _, err := records.Document(r); err == nil || !strings.HasPrefix(err.Error(), named) {
			t.Errorf("got %v, want %s…", err, named)
		}
	}
	if err := records.Save(c, line(t, c, ""), nil); err == nil || !strings.HasPrefix(err.Error(), named) {
		t.Errorf("save: got %v, want %s…", err, named)
	}
	if _, err := records.Document(b); err != nil {
		t.Error(err)
	}
}

func TestAManagersCopyIsTheLastLineOfItsMatch(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 1)
	matches := root.Matches(league)
	file, before, after := record(t, r, "a file"), line(t, r, "before"), line(t, r, "after")
	mustSucceed(t, matches.Save("R1M1", file)) // of when the league was small
	for _, doc := range [][]byte{before, after} {
		mustSucceed(t, matches.SaveLine("R1M1", doc))
		if got, err := matches.Load("R1M1"); err != nil || string(got) != string(doc) {
			t.Errorf("got %s, %v; want %s", got, err, doc)
		}
	}
	for _, m := range []files.MatchRepository{matches, reopen(t, root.Dir()).Matches(league)} {
		if !m.Has("R1M1", protocol.RecordHash(after)) || m.Has("R1M1", protocol.RecordHash(before)) || !m.Has("R1M1", "") ||
			m.Has("R1M2", "") || m.Has("R2M1", protocol.RecordHash(after)) {
			t.Error("a record is there, with its own hash and no other")
		}
	}
	mustSucceed(t, matches.SaveLine("R2M1", line(t, ref("R2M1", 1), "")))
	if n, err := matches.Count(1 << 20); n != 3 || err != nil {
		t.Errorf("got %d lines, %v; want 3", n, err)
	}
	if _, err := matches.Count(10); err == nil {
		t.Error("more was counted than allowed")
	}
	if err := matches.SaveLine("../R1M1", before); err == nil {
		t.Error("a line is kept under a name that leads elsewhere")
	}
}

// Another process that reads sees what is appended after it has looked.
func TestAReaderSeesWhatIsAppended(t *testing.T) {
	root := open(t)
	reader, writer := reopen(t, root.Dir()).Matches(league), root.Matches(league)
	for _, match := range []string{"R1M1", "R1M2", "R1M3"} {
		if _, err := reader.Load(match); !errors.Is(err, files.ErrNoRecord) {
			t.Errorf("%s: got %v, want ErrNoRecord", match, err)
		}
		mustSucceed(t, writer.SaveLine(match, line(t, ref(match, 1), "")))
		if _, err := reader.Load(match); err != nil {
			t.Errorf("%s: %v", match, err)
		}
	}
}

func TestWhoAppendsToAFolderLooksOnceForAFileThatIsNotThere(t *testing.T) {
	root := open(t)
	matches := root.Matches(league)
	first, second := line(t, ref("R1M1", 1), "first"), line(t, ref("R2M1", 1), "second")
	mustSucceed(t, matches.SaveLine("R1M1", first))
	if matches.Has("R2M1", protocol.RecordHash(second)) {
		t.Fatal("a record of a round that has no file")
	}
	mustSucceed(t, matches.SaveLine("R2M1", second))
	if !matches.Has("R2M1", protocol.RecordHash(second)) || !matches.Has("R1M1", protocol.RecordHash(first)) {
		t.Error("a record that was saved is not there")
	}
}

func TestLinesAreShownAsFiles(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 2)
	doc := line(t, r, "even")
	mustSucceed(t, recordsOf(t, root, "REF01").Save(r, doc, nil))
	mustSucceed(t, root.Matches(league).SaveLine("R1M1", doc))
	mustSucceed(t, root.Matches(league).Save("R1M2", record(t, ref("R1M2", 1), "odd")))
	text := read(t, root, roundOne)
	for what, below := range map[string]fs.FS{
		"a folder": os.DirFS(root.Dir()), "memory": fstest.MapFS{
			roundOne: {Data: []byte(text)}, "data/matches/" + league + "/R1M2.json": {},
			"data/matches/" + league + "/round-1.jsonl": {Data: []byte(read(t, root, "data/matches/"+league+"/round-1.jsonl"))},
		},
	} {
		shown := files.ShowRecords(below)
		for _, name := range []string{"data/matches/" + league + "/R1M1.json", "data/referees/REF01/" + league + "/R1M1.2.json"} {
			if got, err := fs.ReadFile(shown, name); err != nil || string(got) != string(doc) {
				t.Errorf("%s: %s: got %s, %v; want %s", what, name, got, err, doc)
			}
			if info, err := fs.Stat(shown, name); err != nil || info.Size() != int64(len(doc)) {
				t.Errorf("%s: %s: got %v, %v", what, name, info, err)
			}
		}
		if got, err := fs.Glob(shown, "data/matches/*/*.json"); len(got) != 2 || err != nil {
			t.Errorf("%s: got %v, %v; want both records", what, got, err)
		}
		if _, err := fs.ReadFile(shown, "data/matches/"+league+"/R1M3.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v for a record that is not there", what, err)
		}
	}
	write(t, root, roundOne, text+"{\"match_id\":\"R1M2\"}\n")
	shown := files.ShowRecords(os.DirFS(root.Dir()))
	if list, err := shown.ReadDir("data/referees/REF01/" + league); len(list) != 2 || err == nil ||
		!strings.HasPrefix(err.Error(), roundOne+":2: damaged: ") {
		t.Errorf("got %v, %v; want the record, the orders, and the line that is none", list, err)
	}
}
