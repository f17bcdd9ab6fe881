package files_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"agentleague/files"
	"agentleague/protocol"
)

// queue is where the orders of REF01 are.
const queue = "data/referees/REF01/" + league + "/unreported.jsonl"

func ref(match string, attempt int) protocol.RecordRef {
	return protocol.RecordRef{LeagueID: league, MatchID: match, Attempt: attempt}
}

// record is the least that can be a record.
func record(t testing.TB, r protocol.RecordRef, reason string) []byte {
	t.Helper()
	rec := protocol.MatchRecord{
		LeagueID: r.LeagueID, MatchID: r.MatchID, Attempt: r.Attempt, Result: protocol.GameResult{Reason: reason},
	}
	doc, _, err := rec.Document()
	mustSucceed(t, err)
	return doc
}

func recordsOf(t testing.TB, root *files.Root, referee string) *files.Records {
	t.Helper()
	records, err := root.Records(referee)
	mustSucceed(t, err)
	return records
}

// unreported lists what is not reported, and the errors on the way.
func unreported(records *files.Records) (list []files.Unreported, errs []string) {
	for u, err := range records.Unreported() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		list = append(list, u)
	}
	return list, errs
}

func TestARecordIsUnreportedUntilItIsReported(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 1)
	doc, order := record(t, r, "even"), []byte("tokens and keys \x00")
	mustSucceed(t, recordsOf(t, root, "REF01").Save(r, doc, order))

	records := recordsOf(t, reopen(t, root.Dir()), "REF01") // the referee starts again
	want := []files.Unreported{{Ref: r, Document: doc, Order: order}}
	if got, errs := unreported(records); !reflect.DeepEqual(got, want) || errs != nil {
		t.Errorf("got %v, %v; want %v", got, errs, want)
	}
	if got, errs := unreported(recordsOf(t, root, "REF02")); got != nil || errs != nil {
		t.Errorf("another referee: got %v, %v; want nothing", got, errs)
	}
	mustSucceed(t, records.Reported(r))
	mustSucceed(t, records.Reported(r)) // again does nothing
	if got, errs := unreported(records); got != nil || errs != nil {
		t.Errorf("reported: got %v, %v; want nothing", got, errs)
	}
	if got, err := records.Document(r); err != nil || string(got) != string(doc) {
		t.Errorf("got %s, %v; want %s", got, err, doc)
	}
	mustSucceed(t, records.Save(r, doc, order)) // the same again stays reported
	if got, errs := unreported(records); got != nil || errs != nil {
		t.Errorf("saved again: got %v, %v; want nothing", got, errs)
	}
}

func TestAnOrderIsReplacedUntilTheResultIsReported(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 1)
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.SaveOrder(r, []byte("too early"))) // there is no record that it could be behind
	if got, errs := unreported(records); got != nil || errs != nil {
		t.Errorf("before there is a record: got %v, %v", got, errs)
	}
	doc := record(t, r, "even")
	mustSucceed(t, records.Save(r, doc, []byte("the first")))
	mustSucceed(t, records.SaveOrder(r, []byte("the second")))
	again := recordsOf(t, reopen(t, root.Dir()), "REF01")
	want := []files.Unreported{{Ref: r, Document: doc, Order: []byte("the second")}}
	if got, errs := unreported(again); !reflect.DeepEqual(got, want) || errs != nil {
		t.Errorf("got %v, %v; want %v", got, errs, want)
	}
	if info, err := os.Stat(root.Dir() + "/data/referees/REF01/" + league + "/unreported.jsonl"); err != nil ||
		runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the order is not private: %v, %v", info, err)
	}
	mustSucceed(t, records.Reported(r))
	mustSucceed(t, records.SaveOrder(r, []byte("too late")))
	if got, errs := unreported(records); got != nil || errs != nil {
		t.Errorf("after the report: got %v, %v", got, errs)
	}
	if err := records.SaveOrder(ref("../R1M1", 1), nil); err == nil {
		t.Error("an order is kept under a name that leads elsewhere")
	}
}

func TestRecordsAreWhereTheyAreDocumented(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 2)
	doc := record(t, r, "even")
	mustSucceed(t, recordsOf(t, root, "REF01").Save(r, doc, []byte("secret")))
	const name = "data/referees/REF01/league_2025_even_odd/R1M1.2"
	if got := read(t, root, name+".json"); got != string(doc) {
		t.Errorf("got %s, want %s", got, doc)
	}
	if got, want := read(t, root, queue), `{"match_id":"R1M1","attempt":2,"order":"c2VjcmV0"}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	info, err := os.Stat(path(root, queue))
	mustSucceed(t, err)
	if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the orders have mode %o, want 600", got)
	}
}

func TestARecordIsNeverReplaced(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	r := ref("R1M1", 1)
	first := record(t, r, "even")
	mustSucceed(t, records.Save(r, first, nil))
	wantError(t, records.Save(r, record(t, r, "odd"), nil),
		"data/referees/REF01/league_2025_even_odd/R1M1.1.json: there is already another record of this attempt")
	if got, err := records.Document(r); err != nil || string(got) != string(first) {
		t.Errorf("got %s, %v; want %s", got, err, first)
	}
	mustSucceed(t, records.Save(ref("R1M1", 2), record(t, ref("R1M1", 2), "odd"), nil))
}

func TestOnlyARecordOfTheMatchIsSaved(t *testing.T) {
	records := recordsOf(t, open(t), "REF01")
	wantError(t, records.Save(ref("R1M1", 1), record(t, ref("R1M2", 1), ""), nil),
		`data/referees/REF01/league_2025_even_odd/R1M1.1.json: it is about match "R1M2" of "league_2025_even_odd", attempt 1`)
	wantError(t, records.Save(ref("R1M1", 1), nil, nil),
		`data/referees/REF01/league_2025_even_odd/R1M1.1.json: unexpected end of JSON input`)
	wantError(t, records.Save(ref("R1M1", -1), nil, nil), `match "R1M1": attempt -1: want 0 or more`)
}

func TestUnknownRecordsAreNone(t *testing.T) {
	records := recordsOf(t, open(t), "REF01")
	_, err := records.Document(ref("R1M1", 1))
	wantError(t, err, "match R1M1 of league_2025_even_odd, attempt 1: no such record")
	for _, r := range []protocol.RecordRef{ref("R1M1", 1), ref("../R1M1", 1), ref("R1M1", -1), {}} {
		if _, err := records.Document(r); !errors.Is(err, files.ErrNoRecord) {
			t.Errorf("%+v: got %v, want ErrNoRecord", r, err)
		}
	}
}

func TestUnreportedComeInTheOrderOfPlay(t *testing.T) {
	records := recordsOf(t, open(t), "REF01")
	want := []protocol.RecordRef{
		{LeagueID: "a", MatchID: "final", Attempt: 1}, {LeagueID: "a", MatchID: "semi.final", Attempt: 1},
		{LeagueID: "a", MatchID: "R1M2", Attempt: 1}, {LeagueID: "a", MatchID: "R1M10", Attempt: 2},
		{LeagueID: "a", MatchID: "R1M10", Attempt: 10},
		{LeagueID: "a", MatchID: "R10M1", Attempt: 0}, {LeagueID: "b", MatchID: "R1M1", Attempt: 1},
	}
	for _, i := range []int{3, 0, 6, 2, 5, 1, 4} {
		mustSucceed(t, records.Save(want[i], record(t, want[i], ""), nil))
	}
	var got []protocol.RecordRef
	for u, err := range records.Unreported() {
		mustSucceed(t, err)
		if got = append(got, u.Ref); len(got) == len(want)-1 {
			break // who has enough may stop
		}
	}
	if !reflect.DeepEqual(got, want[:len(want)-1]) {
		t.Errorf("\ngot  %v\nwant %v", got, want[:len(want)-1])
	}
}

func TestDamageIsNamedAndHidesNothing(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	for _, match := range []string{"R1M1", "R1M2", "R1M3", "R1M4"} {
		mustSucceed(t, records.Save(ref(match, 1), record(t, ref(match, 1), ""), []byte("order")))
	}
	const folder = "data/referees/REF01/league_2025_even_odd/"
	write(t, root, folder+"R1M1.1.json", "")
	write(t, root, folder+"R1M2.1.json", string(record(t, ref("R9M9", 1), "")))
	remove(t, root, folder+"R1M3.1.json") // its referee died before the record was made
	write(t, root, queue, read(t, root, queue)+
		"{\"match_id\":\"R1M4\",\"repor\n"+ // somebody's
		"{\"match_id\":\"../R1M4\",\"attempt\":1}\n"+ // nobody's
		"{\"match_id\":\"R1M4\",\x00\x00\x00\n\n"+ // never written
		"{\"match_id\":\"R1M4\"") // half written
	write(t, root, "data/referees/REF01/notes.txt/x", "not an order")
	got, errs := unreported(records)
	if len(got) != 1 || got[0].Ref != ref("R1M4", 1) {
		t.Errorf("got %v, want R1M4 alone", got)
	}
	want := []string{
		queue + ":5: damaged: invalid character '\\n' in string literal\n" + queue +
			":6: damaged: match_id, attempt: want those of a match",
		folder + "R1M1.1.json: damaged: unexpected end of JSON input",
		folder + `R1M2.1.json: damaged: it is about match "R9M9" of "league_2025_even_odd", attempt 1`,
	}
	if !reflect.DeepEqual(errs, want) {
		t.Errorf("\ngot  %q\nwant %q", errs, want)
	}
	for range records.Unreported() {
		break // at the first error, too
	}
	mustSucceed(t, records.Save(ref("R1M3", 1), record(t, ref("R1M3", 1), "played again"), []byte("new order")))
}

// After a torn write, or a restart, lines are still lines.
func TestOrdersGoOnBehindATornLine(t *testing.T) {
	root := open(t)
	first, second := ref("R1M1", 1), ref("R1M2", 1)
	mustSucceed(t, recordsOf(t, root, "REF01").Save(first, record(t, first, ""), []byte("one")))
	write(t, root, queue, read(t, root, queue)+"{\"match_id\":\"R1M")
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.Save(second, record(t, second, ""), []byte("two")))
	mustSucceed(t, records.Reported(first))
	mustSucceed(t, records.Close())
	got, errs := unreported(recordsOf(t, root, "REF01"))
	if len(got) != 1 || got[0].Ref != second || string(got[0].Order) != "two" {
		t.Errorf("got %v, want R1M2 alone", got)
	}
	if errs != nil {
		t.Errorf("got %q: nobody was told of what is torn", errs)
	}
}

// What was reported does not pile up.
func TestOrdersThatAreDoneWithAreThrownAway(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	order := make([]byte, 16<<10)
	for n := range 30 {
		r := ref(fmt.Sprintf("R%dM1", n+1), 1)
		mustSucceed(t, records.Save(r, record(t, r, ""), order))
		if n < 29 {
			mustSucceed(t, records.Reported(r))
		}
	}
	if info, err := os.Stat(path(root, queue)); err != nil || info.Size() > 300<<10 {
		t.Errorf("got %v, %v; want at most 300 KiB", info, err)
	}
	if got, errs := unreported(recordsOf(t, root, "REF01")); len(got) != 1 ||
		got[0].Ref != ref("R30M1", 1) || errs != nil {
		t.Errorf("got %d, %q; want the last one", len(got), errs)
	}
}

func TestRecordsThatCannotBeReadAreAnError(t *testing.T) {
	root := open(t)
	write(t, root, "data/referees/REF01", "a file where the folder should be")
	records := recordsOf(t, root, "REF01")
	if err := records.Save(ref("R1M1", 1), record(t, ref("R1M1", 1), ""), nil); err == nil {
		t.Error("save: got no error")
	}
	if _, err := records.Document(ref("R1M1", 1)); err == nil || errors.Is(err, files.ErrNoRecord) {
		t.Errorf("document: got %v, want another error", err)
	}
	if _, errs := unreported(records); len(errs) != 1 {
		t.Errorf("unreported: got %q, want an error", errs)
	}

	root = open(t)
	records = recordsOf(t, root, "REF01")
	const name = "data/referees/REF01/league_2025_even_odd/R1M1.1"
	mustSucceed(t, os.MkdirAll(path(root, name+".json"), 0o755))
	if err := records.Save(ref("R1M1", 1), record(t, ref("R1M1", 1), ""), nil); err == nil {
		t.Error("a folder for a record: got no error")
	}
	remove(t, root, name+".json")
	records = recordsOf(t, root, "REF01")
	remove(t, root, queue)
	write(t, root, queue+"/x", "")
	if err := records.Save(ref("R1M1", 1), record(t, ref("R1M1", 1), ""), nil); err == nil {
		t.Error("a folder for the orders: got no error")
	}
	if err := records.Reported(ref("R1M1", 1)); err == nil {
		t.Error("a folder for the orders: got no error")
	}
	write(t, root, name+".json", string(record(t, ref("R1M1", 1), "")))
	if _, errs := unreported(records); len(errs) != 1 {
		t.Errorf("a folder for the orders: got %q, want an error", errs)
	}
}

// Of two that save different records of one attempt, one is told.
func TestOneOfManyRecordsIsKept(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 1)
	var saving sync.WaitGroup
	var mu sync.Mutex
	saved := 0
	for i := range 8 {
		saving.Go(func() {
			if recordsOf(t, root, "REF01").Save(r, record(t, r, fmt.Sprint(i)), nil) == nil {
				mu.Lock()
				saved++
				mu.Unlock()
			}
		})
	}
	saving.Wait()
	if saved != 1 {
		t.Errorf("got %d saved, want 1", saved)
	}
	doc, err := recordsOf(t, root, "REF01").Document(r)
	if err != nil || !json.Valid(doc) {
		t.Errorf("got %s, %v; want one of them", doc, err)
	}
	if left, _ := os.ReadDir(path(root, "data/referees/REF01/"+league)); len(left) != 2 {
		t.Errorf("got %v, want a record and the orders", left)
	}
}

func TestAMatchWhoseFileAPowerCutSpoiledHasNoRecord(t *testing.T) {
	root := open(t)
	matches := root.Matches(league)
	doc := []byte(`{"match_id":"R1M1"}`)
	if err := matches.Save("R1M1", doc); err != nil {
		t.Fatal(err)
	}
	if !matches.Has("R1M1", "") || !matches.Has("R1M1", protocol.RecordHash(doc)) || matches.Has("R1M1", "another") ||
		matches.Has("R1M2", "") {
		t.Error("a record is there, with its own hash and no other")
	}
	for _, text := range []string{"", `{"match_id":`, "\x00\x00\x00"} {
		write(t, root, "data/matches/"+league+"/R1M1.json", text)
		if matches.Has("R1M1", "") || matches.Has("R1M1", protocol.RecordHash(doc)) {
			t.Errorf("%q passes for a record", text)
		}
	}
}

func TestASealedRecordHasTheHashOfItsReport(t *testing.T) {
	root := open(t)
	records, r := recordsOf(t, root, "REF01"), ref("R1M1", 1)
	doc := record(t, r, "even")
	mustSucceed(t, records.Save(r, doc, nil))
	hash := protocol.RecordHash(doc)
	if got, err := records.Sealed(r, hash); err != nil || string(got) != string(doc) {
		t.Errorf("got %s, %v; want %s", got, err, doc)
	}
	write(t, root, "data/referees/REF01/"+league+"/R1M1.1.json", string(record(t, r, "odd")))
	for _, other := range []protocol.RecordRef{r, ref("R1M2", 1), ref("../R1M1", 1)} {
		if _, err := records.Sealed(other, hash); !errors.Is(err, files.ErrNoRecord) {
			t.Errorf("%+v: got %v, want ErrNoRecord", other, err)
		}
	}
}
