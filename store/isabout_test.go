package store

import (
	"encoding/json"
	"testing"

	"agentleague/protocol"
)

const aLeague = "league"

func aRef(match string) protocol.RecordRef {
	return protocol.RecordRef{LeagueID: aLeague, MatchID: match, Attempt: 1}
}

// A record that is identified without decoding it is the same record after decoding, for any content.
func FuzzIsAbout(f *testing.F) {
	for _, doc := range []string{
		`{"schema_version":"1.0.0","match_id":"R1M1","league_id":"league","attempt":1,"lifecycle":{}}`,
		"{\n  \"match_id\": \"R1M1\",\n  \"league_id\": \"league\",\n  \"attempt\": 1,\n  \"moves\": []\n}\n",
		`{"match_id":"R1M1","match_id":"R1M2","league_id":"league","attempt":1,"moves":[]}`,
		`{"match_id":"R1M1","match\u005fid":"R1M2","league_id":"league","attempt":1,"moves":[]}`,
		`{"a":"match_id","match_id":"R1M1","league_id":"league","attempt":12,"moves":[]}`,
		`{"a":"\"match_id\":\"R1M1\",","league_id":"league","attempt":1,"moves":[]}`, `{}`, `[`, ``,
	} {
		f.Add([]byte(doc))
	}
	ref := aRef("R1M1")
	f.Fuzz(func(t *testing.T, doc []byte) {
		var members map[string]json.RawMessage
		if !isAbout(doc, ref) || json.Unmarshal(doc, &members) != nil {
			return
		}
		for name, want := range map[string]string{"match_id": `"R1M1"`, "league_id": `"league"`, "attempt": "1"} {
			if got := string(members[name]); got != want {
				t.Errorf("%s: %s: got %s, want %s", doc, name, got, want)
			}
		}
	})
}

func TestOurOwnRecordsAreKnownAtSight(t *testing.T) {
	ref := aRef("R12M3")
	record := protocol.MatchRecord{SchemaVersion: "1.0.0", LeagueID: ref.LeagueID, MatchID: ref.MatchID, Attempt: ref.Attempt}
	for _, write := range []func() ([]byte, string, error){record.Line, record.Document} {
		doc, _, err := write()
		if err != nil || !isAbout(doc, ref) {
			t.Errorf("not known: %s, %v", doc, err)
		}
		for _, other := range []protocol.RecordRef{
			{LeagueID: "other", MatchID: "R12M3", Attempt: 1}, {LeagueID: aLeague, MatchID: "R12M33", Attempt: 1},
			{LeagueID: aLeague, MatchID: "R12M3", Attempt: 11}, {LeagueID: aLeague, MatchID: "R12M3"},
		} {
			if isAbout(doc, other) {
				t.Errorf("%s is taken for %v", doc, other)
			}
		}
	}
}
