package store_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/wal"
)

// recordsOfREF01 is the log of REF01, and queue where an earlier version kept the orders.
const (
	recordsOfREF01 = "data/referees/REF01/" + league + "/records.log"
	queue          = "data/referees/REF01/" + league + "/unreported.jsonl"
)

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

func recordsOf(t testing.TB, root *store.Root, referee string) *store.Records {
	t.Helper()
	records, err := root.Records(referee)
	mustSucceed(t, err)
	return records
}

// line is record as a referee writes it.
func line(t testing.TB, r protocol.RecordRef, reason string) []byte {
	t.Helper()
	rec := protocol.MatchRecord{
		LeagueID: r.LeagueID, MatchID: r.MatchID, Attempt: r.Attempt, Result: protocol.GameResult{Reason: reason},
	}
	doc, _, err := rec.Line()
	mustSucceed(t, err)
	return doc
}

// unreported lists the unreported results, and the errors while reading.
func unreported(records *store.Records) (list []store.Unreported, errs []string) {
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
	want := []store.Unreported{{Ref: r, Document: doc, Order: order}}
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
	want := []store.Unreported{{Ref: r, Document: doc, Order: []byte("the second")}}
	if got, errs := unreported(again); !reflect.DeepEqual(got, want) || errs != nil {
		t.Errorf("got %v, %v; want %v", got, errs, want)
	}
	if info, err := os.Stat(path(root, recordsOfREF01)); err != nil ||
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
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.Save(r, line(t, r, "even"), []byte("secret")))
	mustSucceed(t, records.Close())
	list, err := os.ReadDir(path(root, "data/referees/REF01/"+league))
	if err != nil || len(list) != 1 || list[0].Name() != "records.log" {
		t.Errorf("got %v, %v; want the log alone", list, err)
	}
	info, err := os.Stat(path(root, recordsOfREF01))
	mustSucceed(t, err)
	if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the log has mode %o, want 600: it holds orders", got)
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
	if _, err := records.Document(ref("R1M1", 3)); !errors.Is(err, store.ErrNoRecord) {
		t.Errorf("another attempt: got %v, want ErrNoRecord", err)
	}
}

func TestOnlyARecordOfTheMatchIsSaved(t *testing.T) {
	records := recordsOf(t, open(t), "REF01")
	wantError(t, records.Save(ref("R1M1", 1), record(t, ref("R1M2", 1), ""), nil),
		`data/referees/REF01/league_2025_even_odd/R1M1.1: it is about match "R1M2" of "league_2025_even_odd", attempt 1`)
	wantError(t, records.Save(ref("R1M1", 1), nil, nil),
		`data/referees/REF01/league_2025_even_odd/R1M1.1: unexpected end of JSON input`)
	wantError(t, records.Save(ref("R1M1", -1), nil, nil), `match "R1M1": attempt -1: want 0 or more`)
}

func TestUnknownRecordsAreNone(t *testing.T) {
	records := recordsOf(t, open(t), "REF01")
	_, err := records.Document(ref("R1M1", 1))
	wantError(t, err, "match R1M1 of league_2025_even_odd, attempt 1: no such record")
	for _, r := range []protocol.RecordRef{ref("R1M1", 1), ref("../R1M1", 1), ref("R1M1", -1), {}} {
		if _, err := records.Document(r); !errors.Is(err, store.ErrNoRecord) {
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
			break // the caller may stop early
		}
	}
	if !reflect.DeepEqual(got, want[:len(want)-1]) {
		t.Errorf("\ngot  %v\nwant %v", got, want[:len(want)-1])
	}
}

// oldRoot has the files that an earlier version wrote for REF01: records in both forms, orders and an undecided match.
func oldRoot(t *testing.T) *store.Root {
	root := open(t)
	const folder = "data/referees/REF01/" + league + "/"
	write(t, root, folder+"R1M1.1.json", string(record(t, ref("R1M1", 1), "a file")))
	write(t, root, folder+"R1M4.1.json", "")
	doc := line(t, ref("R1M2", 1), "a line")
	write(t, root, folder+"round-1.jsonl", `{"match_id":"R1M2","attempt":1,"sha256":"`+protocol.RecordHash(doc)+`","record":`+
		string(doc)+"}\n{\"match_id\":\"R1M5")
	text := ""
	for _, match := range []string{"R1M1", "R1M2", "R1M3", "R1M4"} { // R1M3 has no record: it was never over
		text += `{"match_id":"` + match + `","attempt":1,"order":"` + base64.StdEncoding.EncodeToString([]byte("order")) + "\"}\n"
	}
	write(t, root, queue, text+"{\"match_id\":\"R1M4\",\"repor\n{\"match_id\":\"R1M4\",\x00\x00\n\n{\"match_id\":\"R1M4\"")
	write(t, root, folder+"undecided/R1M6.2.json", "waits")
	return root
}

// The files of an earlier version are taken over once, also by a process that died before it had renamed them.
func TestARootOfAnEarlierVersionGoesOn(t *testing.T) {
	root := oldRoot(t)
	orders := read(t, root, queue)
	for again := range 3 {
		records := recordsOf(t, reopen(t, root.Dir()), "REF01")
		got, errs := unreported(records)
		if want := []string{"R1M1", "R1M2"}; len(got) != 2 || got[0].Ref.MatchID != want[0] || got[1].Ref.MatchID != want[1] ||
			string(got[1].Order) != "order" {
			t.Errorf("got %v, want %v", got, want)
		}
		damage := strings.Join(errs, "\n")
		if !strings.Contains(damage, "R1M4.1: damaged: unexpected end") || again != 1 == !strings.Contains(damage, queue+":5: damaged: ") {
			t.Errorf("run %d: got %q, want what is damaged", again, errs)
		}
		waits, err := records.Undecided()
		if err != nil || len(waits) != 1 || waits[0].Ref != ref("R1M6", 2) || string(waits[0].Text) != "waits" {
			t.Errorf("got %v, %v; want the match that waits", waits, err)
		}
		for _, r := range []protocol.RecordRef{ref("R1M1", 1), ref("R1M2", 1)} {
			doc, err := records.Document(r)
			mustSucceed(t, err)
			mustSucceed(t, records.Save(r, doc, nil)) // it is there
			if err := records.Save(r, line(t, r, "another"), nil); err == nil || !strings.Contains(err.Error(), "another record") {
				t.Errorf("got %v, want that there is another", err)
			}
		}
		mustSucceed(t, records.Close())
		if again == 1 { // as if it had died before it renamed the file
			write(t, root, queue, orders)
		}
	}
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.Save(ref("R1M3", 1), line(t, ref("R1M3", 1), "played again"), nil))
	mustSucceed(t, records.Reported(ref("R1M2", 1)))
	mustSucceed(t, records.Close())
	if got, _ := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01")); len(got) != 2 {
		t.Errorf("got %v, want R1M1 and R1M3", got)
	}
	read(t, root, queue+".v1")
}

// Damage in a log is reported with its place, and hides no other entry.
func TestDamageIsNamedAndHidesNothing(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	for _, match := range []string{"R1M1", "R1M2", "R1M3"} {
		mustSucceed(t, records.Save(ref(match, 1), line(t, ref(match, 1), ""), []byte("order")))
	}
	mustSucceed(t, records.Close())
	text := []byte(read(t, root, recordsOfREF01))
	text[100] ^= 1
	write(t, root, recordsOfREF01, string(text))
	records = recordsOf(t, root, "REF01")
	got, errs := unreported(records)
	if len(got) != 2 || len(errs) != 1 || !strings.Contains(errs[0], recordsOfREF01+": damaged at offset 16: ") {
		t.Errorf("got %v, %q; want two records and the damage", got, errs)
	}
	if _, err := records.Document(ref("R1M1", 1)); err == nil || errors.Is(err, store.ErrNoRecord) {
		t.Errorf("got %v, want the damage", err)
	}
	if err := records.Save(ref("R1M4", 1), line(t, ref("R1M4", 1), ""), nil); !errors.As(err, new(*wal.DamageError)) {
		t.Errorf("got %v, want that nothing is written", err)
	}
}

// Of many records that end together each is kept, once.
func TestRecordsThatEndTogetherAreAllKept(t *testing.T) {
	root := open(t)
	records := recordsOf(t, root, "REF01")
	var saving sync.WaitGroup
	for n := range 60 {
		saving.Go(func() {
			r := ref(fmt.Sprintf("R%dM%d", n%5+1, n+1), 1)
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

// A crash may end a write anywhere. Acknowledged records are there, and later ones are saved.
func TestACrashWithinARecordLosesThatRecordAlone(t *testing.T) {
	root := open(t)
	first, second, third := ref("R1M1", 1), ref("R1M2", 1), ref("R1M3", 1)
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.Save(first, line(t, first, "even"), []byte("one")))
	saved := read(t, root, recordsOfREF01)
	mustSucceed(t, records.Save(second, line(t, second, "odd"), []byte("two")))
	whole := read(t, root, recordsOfREF01)
	for cut := len(saved); cut < len(whole); cut += 7 {
		write(t, root, recordsOfREF01, whole[:cut])
		root := reopen(t, root.Dir())
		records := recordsOf(t, root, "REF01")
		if got, errs := unreported(records); len(got) != 1 || got[0].Ref != first || errs != nil {
			t.Fatalf("cut at %d: got %v, %q; want R1M1 alone", cut, got, errs)
		}
		mustSucceed(t, records.Save(third, line(t, third, "even"), []byte("three")))
		mustSucceed(t, records.Reported(first))
		mustSucceed(t, records.Save(second, line(t, second, "played again"), []byte("four")))
		got, errs := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01"))
		if len(got) != 2 || got[0].Ref != second || string(got[0].Order) != "four" || errs != nil {
			t.Fatalf("cut at %d: got %v, %q; want R1M2 and R1M3", cut, got, errs)
		}
	}
}

// Of a round's file that an earlier version wrote the last line of a match counts; a damaged line is named and hides no
// other.
func TestADamagedLineOfAnEarlierVersionIsNamed(t *testing.T) {
	root := open(t)
	const name = "data/referees/REF01/" + league + "/round-1.jsonl"
	lineOf := func(r protocol.RecordRef, reason string) string {
		doc := line(t, r, reason)
		return fmt.Sprintf("{\"match_id\":%q,\"attempt\":%d,\"sha256\":%q,\"record\":%s}\n", r.MatchID, r.Attempt, protocol.RecordHash(doc), doc)
	}
	a, b, c := ref("R1M1", 1), ref("R1M2", 1), ref("R1M3", 1)
	text := lineOf(a, "even") + lineOf(b, "before") + lineOf(b, "even")
	write(t, root, name, strings.Replace(text, `"reason":"even"`, `"reason":"odd!"`, 1)) // R1M1's
	records := recordsOf(t, root, "REF01")
	_, err := records.Document(a)
	wantError(t, err, name+":1: damaged: the record does not have the SHA-256 of its line; restore the file from a backup, "+
		"or delete the line: a manager fetches its copy of the record again, a referee's record is lost")
	if got, err := records.Document(b); err != nil || string(got) != string(line(t, b, "even")) {
		t.Errorf("got %s, %v; want the last line", got, err)
	}
	write(t, root, name, text[1:])
	records = recordsOf(t, reopen(t, root.Dir()), "REF01")
	const named = name + ":1: damaged: it is not the line of a match's record; "
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
	list, err := store.ShowRecords(os.DirFS(root.Dir())).ReadDir("data/referees/REF01/" + league)
	if len(list) == 0 || list[0].Name() != "R1M2.1.json" || err == nil || !strings.HasPrefix(err.Error(), named) {
		t.Errorf("got %v, %v; want the record and the damage", list, err)
	}
}

// wastefulLog has REF01 play 30 matches, of which 29 are reported, and one more that waits for its draw.
func wastefulLog(t *testing.T, root *store.Root) (refs []protocol.RecordRef, documents [][]byte) {
	t.Helper()
	records := recordsOf(t, root, "REF01")
	order := make([]byte, 16<<10)
	random := rand.NewChaCha8([32]byte{7})
	for n := range 30 {
		r := ref(fmt.Sprintf("R%dM1", n+1), 1)
		doc := line(t, r, fmt.Sprint("result ", n))
		_, _ = random.Read(order)
		mustSucceed(t, records.SaveUndecided(r, order))
		mustSucceed(t, records.RemoveUndecided(r))
		mustSucceed(t, records.Save(r, doc, order))
		if n < 29 {
			mustSucceed(t, records.Reported(r))
		} else {
			mustSucceed(t, records.SaveOrder(r, []byte("the last order")))
		}
		refs, documents = append(refs, r), append(documents, doc)
	}
	mustSucceed(t, records.SaveUndecided(ref("R31M1", 1), []byte("waits")))
	mustSucceed(t, records.Close())
	return refs, documents
}

// wantTheRest checks that a log has all records, the last order and the undecided match of wastefulLog.
func wantTheRest(t *testing.T, records *store.Records, refs []protocol.RecordRef, documents [][]byte) {
	t.Helper()
	got, errs := unreported(records)
	if len(got) != 1 || got[0].Ref != refs[29] || string(got[0].Order) != "the last order" || errs != nil {
		t.Errorf("got %d, %q; want the last one", len(got), errs)
	}
	waits, err := records.Undecided()
	if err != nil || len(waits) != 1 || string(waits[0].Text) != "waits" {
		t.Errorf("got %v, %v; want the match that waits", waits, err)
	}
	for i, r := range refs {
		if doc, err := records.Document(r); err != nil || string(doc) != string(documents[i]) {
			t.Errorf("%s: got %s, %v; want %s", r.MatchID, doc, err, documents[i])
		}
	}
}

// Reported orders and decided matches do not pile up: the next process removes them. A manager that reads the log at the same
// time finds every record.
func TestOrdersThatAreDoneWithAreThrownAway(t *testing.T) {
	root := open(t)
	refs, documents := wastefulLog(t, root)
	size := func() int64 {
		info, err := os.Stat(path(root, recordsOfREF01))
		mustSucceed(t, err)
		if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("the log has mode %o, want 600", got)
		}
		return info.Size()
	}
	if got := size(); got < 900<<10 {
		t.Fatalf("got a log of %d bytes before", got)
	}
	matches := reopen(t, root.Dir()).Matches(league)
	var hashes []string
	for _, doc := range documents {
		hashes = append(hashes, protocol.RecordHash(doc))
	}
	if kept := matches.Adopt("REF01", refs, hashes); slices.Contains(kept, false) {
		t.Fatal("not all records are adopted")
	}
	records := recordsOf(t, reopen(t, root.Dir()), "REF01")
	var reading, begun sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		begun.Add(1)
		reading.Go(func() {
			once := sync.OnceFunc(begun.Done)
			defer once()
			for {
				for i, r := range refs {
					if doc, err := matches.Load(r.MatchID); err != nil || string(doc) != string(documents[i]) {
						t.Errorf("%s: got %s, %v", r.MatchID, doc, err)
						return
					}
					if doc, err := records.Document(r); err != nil || string(doc) != string(documents[i]) {
						t.Errorf("%s at the referee: got %s, %v", r.MatchID, doc, err)
						return
					}
				}
				once()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	begun.Wait()
	wantTheRest(t, records, refs, documents)
	close(done)
	reading.Wait()
	if got := size(); got > 32<<10 {
		t.Errorf("got %d bytes; want at most 32 KiB", got)
	}
	mustSucceed(t, records.Save(refs[3], documents[3], []byte("again"))) // it stays reported
	wantTheRest(t, records, refs, documents)
	mustSucceed(t, records.Close())
	wantTheRest(t, recordsOf(t, reopen(t, root.Dir()), "REF01"), refs, documents)
}

// Readers that share a view find every record while the log is replaced, and all places in it change.
func TestRecordsAreReadWhileTheirLogIsReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be replaced")
	}
	root := open(t)
	refs, documents := wastefulLog(t, root)
	before := read(t, root, recordsOfREF01)
	wantTheRest(t, recordsOf(t, root, "REF01"), refs, documents) // compacts
	texts := []string{before, read(t, root, recordsOfREF01)}
	view := store.ShowRecords(os.DirFS(root.Dir()))
	var reading sync.WaitGroup
	done := make(chan struct{})
	for n := range 4 {
		reading.Go(func() {
			for i := n; ; i = (i + 1) % len(refs) {
				name := fmt.Sprintf("data/referees/REF01/%s/%s.1.json", league, refs[i].MatchID)
				if doc, err := view.ReadFile(name); err != nil || string(doc) != string(documents[i]) {
					t.Errorf("%s: got %s, %v", name, doc, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := range 100 {
		write(t, root, "next", texts[n%2])
		mustSucceed(t, os.Rename(path(root, "next"), path(root, recordsOfREF01)))
	}
	close(done)
	reading.Wait()
}

// A log that cannot be compacted is used as it is.
func TestALogThatCannotBeCompactedGoesOn(t *testing.T) {
	root := open(t)
	refs, documents := wastefulLog(t, root)
	before := read(t, root, recordsOfREF01)
	write(t, root, "data/referees/REF01/"+league+"/.records.log.new/x", "a folder where the new log should be")
	records := recordsOf(t, reopen(t, root.Dir()), "REF01")
	wantTheRest(t, records, refs, documents)
	mustSucceed(t, records.Reported(refs[29]))
	mustSucceed(t, records.Close())
	if !strings.HasPrefix(read(t, root, recordsOfREF01), before) {
		t.Error("the log was changed before its end")
	}
}

// A log with less to gain than 64 KiB stays as it is.
func TestASmallLogIsNotCompacted(t *testing.T) {
	root := open(t)
	records, r := recordsOf(t, root, "REF01"), ref("R1M1", 1)
	mustSucceed(t, records.Save(r, line(t, r, ""), []byte("order")))
	mustSucceed(t, records.Reported(r))
	mustSucceed(t, records.Close())
	before := read(t, root, recordsOfREF01)
	again := recordsOf(t, reopen(t, root.Dir()), "REF01")
	if got, errs := unreported(again); got != nil || errs != nil {
		t.Errorf("got %v, %q", got, errs)
	}
	mustSucceed(t, again.Close())
	if read(t, root, recordsOfREF01) != before {
		t.Error("the log was changed")
	}
}

func TestRecordsThatCannotBeReadAreAnError(t *testing.T) {
	root := open(t)
	write(t, root, "data/referees/REF01", "a file where the folder should be")
	records := recordsOf(t, root, "REF01")
	if err := records.Save(ref("R1M1", 1), record(t, ref("R1M1", 1), ""), nil); err == nil {
		t.Error("save: got no error")
	}
	if _, err := records.Document(ref("R1M1", 1)); err == nil || errors.Is(err, store.ErrNoRecord) {
		t.Errorf("document: got %v, want another error", err)
	}
	if _, errs := unreported(records); len(errs) != 1 {
		t.Errorf("unreported: got %q, want an error", errs)
	}
	root = open(t)
	write(t, root, recordsOfREF01+"/x", "")
	records = recordsOf(t, root, "REF01")
	if err := records.Save(ref("R1M1", 1), record(t, ref("R1M1", 1), ""), nil); err == nil {
		t.Error("a folder for the log: got no error")
	}
}

// Of two concurrent writers of different records of one attempt, one gets an error.
func TestOneOfManyRecordsIsKept(t *testing.T) {
	root := open(t)
	r := ref("R1M1", 1)
	records := recordsOf(t, root, "REF01")
	var saving sync.WaitGroup
	var mu sync.Mutex
	saved := 0
	for i := range 8 {
		saving.Go(func() {
			if records.Save(r, record(t, r, fmt.Sprint(i)), nil) == nil {
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
}

func TestAMatchWhoseFileAPowerCutSpoiledHasNoRecord(t *testing.T) {
	root := open(t)
	doc := []byte(`{"match_id":"R1M1"}`)
	write(t, root, "data/matches/"+league+"/R1M1.json", string(doc)) // by an earlier version
	matches := root.Matches(league)
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
	mustSucceed(t, records.Save(ref("R1M3", 1), record(t, ref("R1M3", 1), "odd"), nil))
	for _, other := range []protocol.RecordRef{ref("R1M3", 1), ref("R1M2", 1), ref("../R1M1", 1)} {
		if _, err := records.Sealed(other, hash); !errors.Is(err, store.ErrNoRecord) {
			t.Errorf("%+v: got %v, want ErrNoRecord", other, err)
		}
	}
}
