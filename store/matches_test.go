package store_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/wal"
)

// saved stores a record of REF01 for each match, and returns the references that a manager requests.
func saved(t testing.TB, from *store.Records, reason string, matches ...string) (refs []protocol.RecordRef, hashes []string) {
	t.Helper()
	for _, match := range matches {
		r := ref(match, 1)
		doc := line(t, r, match+reason)
		mustSucceed(t, from.Save(r, doc, nil))
		refs, hashes = append(refs, r), append(hashes, protocol.RecordHash(doc))
	}
	return refs, hashes
}

func TestAdoptedRecordsAreStoredOnce(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, "", "R1M1", "R1M2", "R2M1")
	refs, hashes = append(refs, ref("R1M9", 1), ref("R1M1", 2)), append(hashes, hashes[0], hashes[0])
	matches := root.Matches(league)
	if got := matches.Adopt("REF01", refs, hashes); !slices.Equal(got, []bool{true, true, true, false, false}) {
		t.Errorf("got %v, want those that are there with their hashes", got)
	}
	mustSucceed(t, matches.Close())
	info, err := os.Stat(path(root, "data/leagues/"+league+"/records.log"))
	if mustSucceed(t, err); info.Size() > 400 {
		t.Errorf("got a log of %d bytes, want no copies", info.Size())
	}
	for _, m := range []*store.Matches{matches, reopen(t, root.Dir()).Matches(league)} {
		for i, r := range refs[:3] {
			want, err := from.Document(r)
			mustSucceed(t, err)
			if got, err := m.Load(r.MatchID); err != nil || string(got) != string(want) || !m.Has(r.MatchID, hashes[i]) {
				t.Errorf("%s: got %s, %v; want %s", r.MatchID, got, err, want)
			}
		}
		if n, err := m.Shown(); n != 3 || err != nil || m.Has("R1M1", hashes[1]) || m.Has("R1M9", "") {
			t.Errorf("got %d records, %v; want 3, each with its own hash", n, err)
		}
	}
}

func TestOnlyARecordWithTheReportedHashIsAdopted(t *testing.T) {
	root := open(t)
	refs, hashes := saved(t, recordsOf(t, root, "REF01"), "", "R1M1", "R1M2", "R1M3", "R1M4")
	hashes[0] = protocol.RecordHash([]byte("another"))
	hashes[2] = "no hash"
	refs, hashes = append(refs, ref("R1M5", 1), ref("R1M4", 2)), append(hashes, hashes[3], hashes[3])
	matches := root.Matches(league)
	if got := matches.Adopt("REF01", refs, hashes); !slices.Equal(got, []bool{false, true, false, true, false, false}) {
		t.Errorf("got %v, want the second and the fourth", got)
	}
	if got := matches.Adopt("REF02", refs[1:2], hashes[1:2]); got[0] {
		t.Error("a record is adopted from a referee that does not have it")
	}
}

func TestARecordThatIsDamagedIsNotAdopted(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, " is even", "R1M1", "R1M2", "R1M3")
	mustSucceed(t, from.Close())
	text := read(t, root, recordsOfREF01)
	write(t, root, recordsOfREF01, strings.Replace(text, "R1M2.1", "R1M2!1", 1))
	got := reopen(t, root.Dir()).Matches(league).Adopt("REF01", refs, hashes)
	if !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("got %v, want all but the second", got)
	}
}

// Large records are adopted and read before and after a compaction.
func TestManyLargeRecordsAreAllAdopted(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	var names []string
	for n := range 9 {
		names = append(names, fmt.Sprintf("R%dM%d", n/6+1, n+1))
	}
	refs, hashes := saved(t, from, noise(400<<10), names...)
	order := []byte(noise(100 << 10))
	for _, r := range refs {
		mustSucceed(t, errors.Join(from.SaveOrder(r, order), from.Reported(r)))
	}
	mustSucceed(t, from.Close())
	matches := root.Matches(league)
	check := func() {
		t.Helper()
		if kept := matches.Adopt("REF01", refs, hashes); slices.Contains(kept, false) {
			t.Errorf("got %v, want all", kept)
		}
		for i, r := range refs {
			if got, err := matches.Load(r.MatchID); err != nil || protocol.RecordHash(got) != hashes[i] {
				t.Errorf("%s: got %d bytes, %v", r.MatchID, len(got), err)
			}
		}
	}
	check()
	before := len(read(t, root, recordsOfREF01))
	if got, errs := unreported(recordsOf(t, reopen(t, root.Dir()), "REF01")); got != nil || errs != nil {
		t.Errorf("got %v, %q", got, errs)
	}
	if after := len(read(t, root, recordsOfREF01)); before-after < 800<<10 {
		t.Errorf("got %d bytes of %d; want the orders gone", after, before)
	}
	check()
}

// noise is text that cannot be packed to much less.
func noise(size int) string {
	b := make([]byte, size*3/4)
	_, _ = rand.NewChaCha8([32]byte{9}).Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

// A manager that was killed while it noted a record leaves the beginning of a frame. The next notes stand in its place.
func TestACrashWithinANoteLosesThatNoteAlone(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, "", "R1M1", "R1M2", "R1M3")
	const name = "data/leagues/" + league + "/records.log"
	root.Matches(league).Adopt("REF01", refs[:1], hashes[:1])
	one := read(t, root, name)
	doc, err := from.Document(refs[1])
	mustSucceed(t, err)
	mustSucceed(t, root.Matches(league).Store("R1M2", doc))
	whole := read(t, root, name)
	for cut := 0; cut <= len(whole); cut += 13 {
		write(t, root, name, whole[:cut])
		matches := reopen(t, root.Dir()).Matches(league)
		if cut >= len(one) && !matches.Has("R1M1", hashes[0]) {
			t.Errorf("cut at %d: the first record does not count", cut)
		}
		for i, r := range refs {
			if !matches.Has(r.MatchID, hashes[i]) && !matches.Adopt("REF01", refs[i:i+1], hashes[i:i+1])[0] {
				t.Errorf("cut at %d: %s is not adopted", cut, r.MatchID)
			}
		}
		again := reopen(t, root.Dir()).Matches(league)
		for i, r := range refs {
			if !again.Has(r.MatchID, hashes[i]) {
				t.Errorf("cut at %d: %s is not there", cut, r.MatchID)
			}
		}
		mustSucceed(t, errors.Join(matches.Close(), again.Close()))
	}
}

func TestTheLastRecordOfAMatchCounts(t *testing.T) {
	root := open(t)
	write(t, root, "data/matches/"+league+"/R1M1.json", string(record(t, ref("R1M1", 1), "of an earlier version")))
	refs, hashes := saved(t, recordsOf(t, root, "REF01"), "", "R1M1")
	matches := root.Matches(league)
	for _, reason := range []string{"first", "second"} {
		doc := line(t, ref("R1M1", 1), reason)
		mustSucceed(t, matches.Store("R1M1", doc))
		mustSucceed(t, matches.Store("R1M1", doc)) // again does nothing
		if got, err := matches.Load("R1M1"); err != nil || string(got) != string(doc) {
			t.Errorf("got %s, %v; want %s", got, err, doc)
		}
	}
	matches.Adopt("REF01", refs, hashes)
	if matches.Flush(); !matches.Has("R1M1", hashes[0]) {
		t.Error("an adopted record does not count")
	}
	doc, err := store.FromReadable([]byte(read(t, root, "data/matches/"+league+"/R1M1.json")))
	if err != nil || protocol.RecordHash(doc) != hashes[0] {
		t.Errorf("got %s, %v in the file for people", doc, err)
	}
	if matches.Store("../R1M1", doc) == nil {
		t.Error("a record is kept under a name that leads elsewhere")
	}
}

// A reader in another process sees entries that are appended after its first read.
func TestAReaderSeesWhatIsAppended(t *testing.T) {
	root := open(t)
	reader, writer := reopen(t, root.Dir()).Matches(league), root.Matches(league)
	for _, match := range []string{"R1M1", "R1M2", "R1M3"} {
		if _, err := reader.Load(match); !errors.Is(err, store.ErrNoRecord) {
			t.Errorf("%s: got %v, want ErrNoRecord", match, err)
		}
		mustSucceed(t, writer.Store(match, line(t, ref(match, 1), "")))
		if _, err := reader.Load(match); err != nil {
			t.Errorf("%s: %v", match, err)
		}
	}
}

// A file for people that is missing or is another record's is written when its record is looked for.
func TestFilesForPeopleAreRebuilt(t *testing.T) {
	root := open(t)
	matches, name := root.Matches(league), "data/matches/"+league+"/R1M1.json"
	doc := line(t, ref("R1M1", 1), "even")
	mustSucceed(t, matches.Store("R1M1", doc))
	matches.Flush()
	want := read(t, root, name)
	for _, spoil := range []func(){
		func() { remove(t, root, name) }, func() { write(t, root, name, "{\n\"a\": 1\n}\n") }, func() { write(t, root, name, "") },
	} {
		spoil()
		if !matches.Has("R1M1", protocol.RecordHash(doc)) {
			t.Error("the record is in the log, and is not found")
		}
		if matches.Flush(); read(t, root, name) != want {
			t.Errorf("got %s, want %s", read(t, root, name), want)
		}
	}
	if left, err := filepath.Glob(path(root, "data/matches/"+league+"/.*")); len(left) > 0 || err != nil {
		t.Errorf("got %v, %v; want no other files", left, err)
	}
}

func TestReadableRecordsAreRestored(t *testing.T) {
	rec := protocol.MatchRecord{LeagueID: league, MatchID: "R1M1", Moves: []protocol.PlayedMove{
		{PlayerID: "P01", Move: json.RawMessage(`"a\\\"[{,:"`)}, {PlayerID: "P02", Move: json.RawMessage(`{"x":[1,{"y":[]}]}`)},
	}}
	doc, _, err := rec.Line()
	mustSucceed(t, err)
	text := string(store.Readable(doc))
	for _, want := range []string{"{\n\"schema_version\": ", "\n\"match_id\": \"R1M1\",\n", "\"moves\": [\n{", "},\n{", "}\n],\n", "}\n}\n"} {
		if !strings.Contains(text, want) && !strings.Contains(text, strings.ReplaceAll(want, "}\n}\n", "\n}\n")) {
			t.Errorf("got %s, want %q in it", text, want)
		}
	}
	if back, err := store.FromReadable([]byte(text)); err != nil || string(back) != string(doc) {
		t.Errorf("got %s, %v; want %s", back, err, doc)
	}
	for _, other := range []string{"", "no JSON", "{ \"a\":1}", "{\n  \"a\": 1\n}\n"} {
		if got := store.Readable([]byte(other)); string(got) != other {
			t.Errorf("got %q for %q, which could not be restored", got, other)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte(`{"a":[1,[2,{"b":"\"}"}]],"c":{"d":[3,4]},"e":[]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		text := store.Readable(doc)
		if string(text) == string(doc) {
			return
		}
		if back, err := store.FromReadable(text); err != nil || string(back) != string(doc) {
			t.Errorf("got %q, %v; want %q", back, err, doc)
		}
	})
}

// A root is shown with a file for each record, however it is stored.
func TestRecordsAreShownAsFiles(t *testing.T) {
	root := oldRoot(t)
	r := ref("R2M1", 2)
	doc := line(t, r, "even")
	records := recordsOf(t, root, "REF01")
	mustSucceed(t, records.Save(r, doc, []byte("secret")))
	root.Matches(league).Adopt("REF01", []protocol.RecordRef{r}, []string{protocol.RecordHash(doc)})
	mustSucceed(t, errors.Join(records.Close(), root.Matches(league).Close()))
	remove(t, root, "data/matches/"+league)
	memory := fstest.MapFS{}
	mustSucceed(t, fs.WalkDir(os.DirFS(root.Dir()), "data", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			memory[name] = &fstest.MapFile{Data: []byte(read(t, root, name))}
		}
		return err
	}))
	for what, below := range map[string]fs.FS{"a folder": os.DirFS(root.Dir()), "memory": memory} {
		shown := store.ShowRecords(below)
		for name, want := range map[string]string{
			"data/matches/" + league + "/R2M1.json": string(doc), "data/referees/REF01/" + league + "/R2M1.2.json": string(doc),
			"data/referees/REF01/" + league + "/R1M2.1.json": string(line(t, ref("R1M2", 1), "a line")),
		} {
			if got, err := fs.ReadFile(shown, name); err != nil || string(got) != want {
				t.Errorf("%s: %s: got %s, %v; want %s", what, name, got, err, want)
			}
			if info, err := fs.Stat(shown, name); err != nil || info.Size() != int64(len(want)) {
				t.Errorf("%s: %s: got %v, %v", what, name, info, err)
			}
		}
		list, err := fs.Glob(shown, "data/referees/REF01/"+league+"/*.json")
		if len(list) != 4 || err != nil {
			t.Errorf("%s: got %v, %v; want four records", what, list, err)
		}
		if found := shown.Damage(league); len(found) > 0 {
			t.Errorf("%s: got damage %v", what, found)
		}
		if _, err := fs.ReadFile(shown, "data/matches/"+league+"/R1M3.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v for a record that is not there", what, err)
		}
	}
	memory[recordsOfREF01].Data[60] ^= 1
	at := (*wal.DamageError)(nil)
	if found := store.ShowRecords(memory).Damage(league); len(found) != 1 || !errors.As(found[0], &at) || at.Path != recordsOfREF01 {
		t.Errorf("got %v, want damage in %s", found, recordsOfREF01)
	}
}
