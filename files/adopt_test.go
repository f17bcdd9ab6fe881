package files_test

import (
	"fmt"
	"strings"
	"testing"

	"agentleague/files"
	"agentleague/protocol"
)

// copied is where the manager has its copies of the first round's records.
const copied = "data/matches/" + league + "/round-1.jsonl"

// saved has REF01 keep a record of a single line for each match, and returns what a manager asks for.
func saved(t testing.TB, from *files.Records, reason string, matches ...string) (refs []protocol.RecordRef, hashes []string) {
	t.Helper()
	for _, match := range matches {
		r := ref(match, 1)
		doc := line(t, r, match+reason)
		mustSucceed(t, from.Save(r, doc, nil))
		refs, hashes = append(refs, r), append(hashes, protocol.RecordHash(doc))
	}
	return refs, hashes
}

// wantKept holds the copies against the records that were asked for.
func wantKept(t *testing.T, root *files.Root, from *files.Records, refs []protocol.RecordRef, kept []bool) {
	t.Helper()
	for i, r := range refs {
		want, err := from.Document(r)
		mustSucceed(t, err)
		if got, err := root.Matches(league).Load(r.MatchID); !kept[i] || err != nil || string(got) != string(want) {
			t.Errorf("%s: kept %v, got %.80s, %v; want %.80s", r.MatchID, kept[i], got, err, want)
		}
	}
}

func TestAdoptedRecordsStandAsIfEachHadBeenSaved(t *testing.T) {
	root, other := open(t), open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, "", "R1M1", "R1M2", "R2M1", "R1M3")
	kept := root.Matches(league).Adopt(from, refs, hashes)
	wantKept(t, root, from, refs, kept)
	wantKept(t, reopen(t, root.Dir()), from, refs, kept)
	for _, r := range refs {
		doc, err := from.Document(r)
		mustSucceed(t, err)
		mustSucceed(t, other.Matches(league).SaveLine(r.MatchID, doc))
	}
	if got, want := read(t, root, copied), read(t, other, copied); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOnlyARecordWithTheReportedHashIsAdopted(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, "", "R1M1", "R1M2", "R1M3", "R1M4")
	hashes[0] = protocol.RecordHash([]byte("another"))
	hashes[2] = "no hash"
	refs, hashes = append(refs, ref("R1M5", 1), ref("R1M4", 2)), append(hashes, hashes[3], hashes[3])
	kept := root.Matches(league).Adopt(recordsOf(t, root, "REF01"), refs, hashes)
	for i, want := range []bool{false, true, false, true, false, false} {
		if kept[i] != want {
			t.Errorf("%s: kept %v, want %v", refs[i].MatchID, kept[i], want)
		}
	}
}

func TestARecordThatIsDamagedIsNotAdopted(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, " is even", "R1M1", "R1M2", "R1M3")
	write(t, root, roundOne, strings.Replace(read(t, root, roundOne), "R1M2 is even", "R1M2 is edwn", 1))
	kept := root.Matches(league).Adopt(recordsOf(t, root, "REF01"), refs, hashes)
	if !kept[0] || kept[1] || !kept[2] {
		t.Errorf("got %v, want all but the second", kept)
	}
}

func TestManyLargeRecordsAreAllAdopted(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	var matches []string
	for n := range 9 {
		matches = append(matches, fmt.Sprintf("R%dM%d", n/6+1, n+1))
	}
	refs, hashes := saved(t, from, strings.Repeat("x", 400<<10), matches...)
	some := root.Matches(league).Adopt(from, []protocol.RecordRef{refs[0], refs[5]}, []string{hashes[0], hashes[5]}) // far apart
	wantKept(t, root, from, []protocol.RecordRef{refs[0], refs[5]}, some)
	wantKept(t, root, from, refs, root.Matches(league).Adopt(from, refs, hashes))
}

// A manager that was killed while it copied leaves the beginning of a line. What it copies next stands behind that.
func TestACrashWithinACopyLosesThatCopyAlone(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	refs, hashes := saved(t, from, "", "R1M1", "R1M2", "R1M3")
	root.Matches(league).Adopt(from, refs[:2], hashes[:2])
	whole := read(t, root, copied)
	for cut := 0; cut < len(whole); cut += 13 {
		write(t, root, copied, whole[:cut])
		root := reopen(t, root.Dir())
		var missing []int
		for i := range refs {
			if !root.Matches(league).Has(refs[i].MatchID, hashes[i]) {
				missing = append(missing, i)
			}
		}
		for _, i := range missing {
			root.Matches(league).Adopt(from, refs[i:i+1], hashes[i:i+1])
		}
		wantKept(t, reopen(t, root.Dir()), from, refs, []bool{true, true, true})
	}
}

func TestAnAdoptedLineIsNotHiddenByAnOlderFile(t *testing.T) {
	root := open(t)
	from := recordsOf(t, root, "REF01")
	mustSucceed(t, root.Matches(league).Save("R1M1", []byte("{\n}")))
	refs, hashes := saved(t, from, "", "R1M1")
	wantKept(t, root, from, refs, root.Matches(league).Adopt(from, refs, hashes))
}

// BenchmarkAdopt copies the records of a round of 50 matches together, and one by one.
func BenchmarkAdopt(b *testing.B) {
	root := open(b)
	from, into := recordsOf(b, root, "REF01"), root.Matches(league)
	var matches []string
	for n := range 50 {
		matches = append(matches, fmt.Sprintf("R1M%d", n+1))
	}
	refs, hashes := saved(b, from, strings.Repeat("x", 8<<10), matches...)
	b.Run("together", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			into.Adopt(from, refs, hashes)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i, r := range refs {
				doc, err := from.Sealed(r, hashes[i])
				mustSucceed(b, err)
				mustSucceed(b, into.SaveLine(r.MatchID, doc))
			}
		}
	})
}
