package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// scanned encodes a record with a check of the whole document, the reference for the check of its copied parts.
func scanned(r *MatchRecord, write func(v any) ([]byte, error)) ([]byte, error) {
	doc, err := write(r)
	if err != nil || RepeatedKey(doc) == "" && utf8.Valid(doc) {
		return doc, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return write(v)
}

// sameAsScanned fails unless a record is written, byte for byte, as it is when the whole of it is looked through.
func sameAsScanned(t *testing.T, r *MatchRecord) {
	t.Helper()
	want, wrong := scanned(r, json.Marshal)
	got, hash, err := r.Line()
	if (err == nil) != (wrong == nil) || string(got) != string(want) || err == nil && hash != RecordHash(want) {
		t.Fatalf("a line:\n got %s, %v\nwant %s, %v", got, err, want, wrong)
	}
	want, wrong = scanned(r, func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") })
	if wrong == nil {
		want = append(want, '\n')
	}
	got, hash, err = r.Document()
	if (err == nil) != (wrong == nil) || string(got) != string(want) || err == nil && hash != RecordHash(want) {
		t.Fatalf("a document:\n got %s, %v\nwant %s, %v", got, err, want, wrong)
	}
}

// holding returns records with a text in each place that may be ambiguous.
func holding(raw []byte, name string) []*MatchRecord {
	return []*MatchRecord{
		{Transcript: []TranscriptEntry{{Seq: 1, Message: json.RawMessage("{}")}, {Message: raw}}},
		{Moves: []PlayedMove{{PlayerID: name, Move: raw}}},
		{Result: GameResult{Choices: map[string]json.RawMessage{name: raw, "\xff": nil}}},
		{Result: GameResult{Details: map[string]json.RawMessage{"P01": raw}, Reason: name}},
		{Result: GameResult{Score: map[string]int{name: 1, "\xff": 2}}},
		{Result: GameResult{Forfeits: map[string]string{name: "E001", "\xff": name}}},
		{Signed: map[string]SignedAnswers{name: {Answers: []SignedAnswer{{Move: string(raw)}}}, "\xff": {}}},
		{Usage: map[string]Usage{name: {Model: string(raw)}, "\xff": {Moves: 1}}},
	}
}

// FuzzRecordIsAsIfScanned: for any answer and any name of a player, the record has the same bytes, and so the same
// hash, as with a check of the whole document.
func FuzzRecordIsAsIfScanned(f *testing.F) {
	for _, text := range []string{
		`"even"`, `{"a":1,"a":2}`, `{"a":[{"b":{"c":1,"\u0063":2}}]}`, "\"\xff\"", "{\"\xff\":1,\"\xfe\":2}", `{"a":12345678901234567890}`,
		` { "a" : 1 } `, `{"<":1,"\u003c":2}`, "{\"\u2028\":1}", `{`, ``, `null`, `"\ud800"`,
	} {
		f.Add([]byte(text), "P01")
	}
	for _, name := range []string{"\xfe", "é", "", "\xff"} {
		f.Add([]byte(`"odd"`), name)
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		for _, r := range holding(raw, name) {
			sameAsScanned(t, r)
		}
	})
}

// FuzzEncodePlain: a text that is reported as plain is plain, and equals the output of Encode. An answer is decoded
// first.
func FuzzEncodePlain(f *testing.F) {
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			f.Fatal(err)
		}
		typ := string(e.message.Head().MessageType)
		f.Add([]byte(raw), typ)
		f.Add(bytes.Replace(raw, []byte(`"P01"`), []byte(`{"a":1,"a":2}`), 1), typ)
		f.Add(bytes.Replace(raw, []byte(`"even"`), []byte("\"\xff\""), 1), typ)
	}
	f.Fuzz(func(t *testing.T, raw []byte, typ string) {
		m, _, err := Decode(raw, Reading{Type: Type(typ), Reply: true, Now: arrival, Conversation: "conv-new"})
		if err != nil {
			return
		}
		want, _ := Encode(m)
		got, plain, err := EncodePlain(m)
		if err != nil || string(got) != string(want) {
			t.Fatalf("got %s, %v; want %s", got, err, want)
		}
		if plain && !plainly(got) {
			t.Fatalf("said to be plain: %s", got)
		}
	})
}

// A message of ours may contain a player's text, which is checked too.
func TestAMessageWithAnAnswerThatSaysTwoThingsIsNotPlain(t *testing.T) {
	twice := json.RawMessage(`{"a":1,"a":2}`)
	for name, m := range map[string]*GameOver{
		"a choice":       {YourChoice: twice},
		"in the result":  {GameResult: GameResult{Choices: map[string]json.RawMessage{"P01": twice}}},
		"in its details": {GameResult: GameResult{Details: map[string]json.RawMessage{"end": twice}}},
		"a name":         {GameResult: GameResult{Score: map[string]int{"\xff": 1, "\xfe": 1}}},
	} {
		m.MessageType = TypeGameOver
		if text, plain, err := EncodePlain(m); plain || err != nil {
			t.Errorf("%s: said to be plain: %s, %v", name, text, err)
		}
	}
	for _, e := range examples() {
		typ := e.message.Head().MessageType
		text, plain, err := EncodePlain(e.message)
		if err != nil || plain && !plainly(text) {
			t.Errorf("%s: said to be plain: %s, %v", typ, text, err)
		}
		match := []Type{TypeGameInvitation, TypeGameJoinAck, TypeChooseParityCall, TypeChooseParityResponse, TypeGameOver}
		if slices.Contains(match, typ) && !plain {
			t.Errorf("%s: our own example is not known to be plain", typ)
		}
	}
}

// TestOnlyWhatIsCopiedCanBeDoubtful lists the places of a record where JSON is copied, and its maps: doubtful checks
// all of them.
func TestOnlyWhatIsCopiedCanBeDoubtful(t *testing.T) {
	var got []string
	var walk func(at reflect.Type, path string)
	walk = func(at reflect.Type, path string) {
		switch {
		case at == rawMessage:
			got = append(got, path)
		case OptionalType(at) != nil:
			walk(OptionalType(at), path)
		case at.Kind() == reflect.Struct:
			for _, f := range reflect.VisibleFields(at) {
				if f.IsExported() {
					walk(f.Type, path+"."+f.Name)
				}
			}
		case at.Kind() == reflect.Map:
			got = append(got, path)
			walk(at.Elem(), path+".*")
		case at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice:
			walk(at.Elem(), path)
		case at.Kind() == reflect.Interface:
			t.Errorf("%s: anything may stand there", path)
		}
	}
	walk(reflect.TypeFor[MatchRecord](), "")
	want := ".Transcript.Message .Moves.Move .Signed .Usage .Result.Choices .Result.Choices.* .Result.Score " +
		".Result.Details .Result.Details.* .Result.Forfeits"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// A message that is noted as plain is copied into a record unseen, and so it has to be as we write it.
func TestAPlainMessageIsTight(t *testing.T) {
	p := planOf(reflect.TypeFor[TranscriptEntry]())
	if p.byName["message"].tight == 0 {
		t.Fatal("no mark is looked at")
	}
	for _, e := range matchExamples() {
		if text, plain, err := EncodePlain(e.message); err != nil || plain && !tight(text) {
			t.Errorf("%s, %v", text, err)
		}
	}
	entry := TranscriptEntry{Message: json.RawMessage(`{ "a": 1 }`)}
	if text, err := Marshal(&entry); err != nil || !strings.Contains(string(text), `"message":{"a":1}`) {
		t.Errorf("without the mark: got %s, %v", text, err)
	}
}
