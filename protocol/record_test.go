package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRecordIsHashedAsItIsKept(t *testing.T) {
	r := MatchRecord{
		SchemaVersion: "1.0.0", LeagueID: exLeague, MatchID: "R1M1", Attempt: 2,
		Transcript: []TranscriptEntry{{Seq: 1, Message: text("a")}},
	}
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

func TestARecordSaysOneThingToEveryReader(t *testing.T) {
	for doc, want := range map[string]string{
		`{"match_id":"R1M1","colour":"red"}`:                     `member "colour" is unknown`,
		`{"Match_ID":"R1M1"}`:                                    `member "Match_ID" is unknown: it is written "match_id"`,
		`{"match_id":"R1M1","match_id":"R1M2"}`:                  `member "match_id" occurs twice`,
		`{"result":{"score":{"P01":3,"P01":0}}}`:                 `member "result.score.P01" occurs twice`,
		`{"transcript":[{"seq":1,"message":{"a":1,"a":2}}]}`:     `member "transcript.message.a" occurs twice`,
		`{"tries":[{"stage":1,"Void":true}]}`:                    `member "tries.Void" is unknown: it is written "void"`,
		`{"signed":{"P01":{"head":"","answers":[{"turns":1}]}}}`: `member "signed.P01.answers.turns" is unknown`,
		`{"match_id":"R1M1"}{"match_id":"R1M2"}`:                 "invalid character '{'",
		"{\"match_id\":\"\xff\"}":                                "not UTF-8",
	} {
		if _, err := ParseRecord([]byte(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", doc, err, want)
		}
	}
}

// A player's answer may be ambiguous; the record of it is not.
func TestARecordOfAnAnswerThatSaysTwoThingsCanBeRead(t *testing.T) {
	for _, odd := range []string{
		`{"parity_choice":"even","parity_choice":"odd","n":12345678901234567890}`, "{\"choice\":\"\xff\"}",
	} {
		r := MatchRecord{MatchID: "R1M1", Transcript: []TranscriptEntry{{Seq: 1, Message: json.RawMessage(odd)}}}
		doc, hash, err := r.Document()
		if err != nil || hash != RecordHash(doc) {
			t.Fatalf("%s: %v", odd, err)
		}
		back, err := ParseRecord(doc)
		if err != nil || back.MatchID != "R1M1" || len(back.Transcript) != 1 {
			t.Errorf("%s: got %+v, %v", odd, back, err)
		}
		if again, _, err := back.Document(); err != nil || strings.Contains(string(again), `"even"`) {
			t.Errorf("%s: got %s, %v", odd, again, err)
		}
	}
}

func TestUnwritableRecordIsAnError(t *testing.T) {
	r := MatchRecord{Transcript: []TranscriptEntry{{Message: json.RawMessage("{")}}}
	if doc, hash, err := r.Document(); err == nil || doc != nil || hash != "" {
		t.Errorf("got %s, %s, %v; want an error", doc, hash, err)
	}
}
