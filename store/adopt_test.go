package store

import (
	"slices"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

// A league grows, so that its first records are files and the later ones lines; and a third-party store may replace the
// files.
func TestRecordsOfEveryFormAreAdoptedWhereverTheyGo(t *testing.T) {
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	from, err := root.Records("REF01")
	if err != nil {
		t.Fatal(err)
	}
	var refs []protocol.RecordRef
	var hashes []string
	for i, match := range []string{"R1M1", "R1M2", "R1M3"} {
		rec := protocol.MatchRecord{LeagueID: "league", MatchID: match, Attempt: 1}
		write := []func() ([]byte, string, error){rec.Line, rec.Document, rec.Line}[i]
		doc, hash, err := write()
		if err != nil {
			t.Fatal(err)
		}
		refs, hashes = append(refs, protocol.RecordRef{LeagueID: "league", MatchID: match, Attempt: 1}), append(hashes, hash)
		if err := from.Save(refs[i], doc, nil); err != nil {
			t.Fatal(err)
		}
	}
	refs, hashes = append(refs, protocol.RecordRef{LeagueID: "league", MatchID: "R1M4", Attempt: 1}), append(hashes, hashes[0])
	plain := root.Matches("league")
	for name, into := range map[string]league.Records{"files": plain, "memory": inMemory{}} {
		got := NewAdopter(root, "league", into).Adopt("REF01", refs, hashes)
		if want := []bool{true, true, true, false}; !slices.Equal(got, want) {
			t.Errorf("into %s: got %v, want %v", name, got, want)
		}
		for i := range 3 {
			if !into.Has(refs[i].MatchID, hashes[i]) {
				t.Errorf("into %s: %s is not there", name, refs[i].MatchID)
			}
		}
	}
}

// inMemory keeps records, by match.
type inMemory map[string][]byte

func (m inMemory) Has(match, hash string) bool { return protocol.RecordHash(m[match]) == hash }

func (m inMemory) Store(match string, document []byte) error {
	m[match] = document
	return nil
}
