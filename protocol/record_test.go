package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRecordIsHashedAsItIsKept(t *testing.T) {
	r := MatchRecord{SchemaVersion: "1.0.0", LeagueID: exLeague, MatchID: "R1M1", Attempt: 2, Transcript: []TranscriptEntry{{Seq: 1, Message: text("a")}}}
	doc, hash, err := r.Document()
	if err != nil || hash != RecordHash(doc) || len(hash) != 64 {
		t.Fatalf("got the hash %s, %v; want that of the document", hash, err)
	}
	if !strings.HasSuffix(string(doc), "}\n") || !strings.Contains(string(doc), "\n  \"match_id\": \"R1M1\"") {
		t.Errorf("got %s, want a document that a person can read", doc)
	}
	back, err := ParseRecord(doc)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _ := back.Document(); string(again) != string(doc) {
		t.Errorf("got %s, want %s", again, doc)
	}
	if got := r.Ref(); got != (RecordRef{LeagueID: exLeague, MatchID: "R1M1", Attempt: 2}) {
		t.Errorf("got the name %+v", got)
	}
	r.Attempt = 3
	if _, other, _ := r.Document(); other == hash {
		t.Error("another record has the same hash")
	}
	// printf '' | sha256sum
	if got := RecordHash(nil); got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("got %s for no bytes", got)
	}
}

func TestBrokenRecordIsAnError(t *testing.T) {
	if _, err := ParseRecord([]byte(`{"match_id":5}`)); err == nil {
		t.Error("a record with a wrong member was read")
	}
}

func TestUnwritableRecordIsAnError(t *testing.T) {
	r := MatchRecord{Transcript: []TranscriptEntry{{Message: json.RawMessage("{")}}}
	if doc, hash, err := r.Document(); err == nil || doc != nil || hash != "" {
		t.Errorf("got %s, %s, %v; want an error", doc, hash, err)
	}
}
