package referee

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
)

// However an answer is built, it takes up little of a record: brackets within brackets are not indented without end.
func TestAnswerTakesUpLittleOfARecord(t *testing.T) {
	for name, tt := range map[string]struct {
		move    string
		omitted bool
	}{
		"a word":   {`"even"`, false},
		"a board":  {`[["a","b"],["c","d"]]`, false},
		"long":     {`"` + strings.Repeat("x", 2<<10) + `"`, true},
		"nested":   {strings.Repeat("[", 800) + strings.Repeat("]", 800), true},
		"narrow":   {`[` + strings.Repeat("0,", 700) + `0]`, true},
		"in depth": {strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), true},
	} {
		answer := &protocol.GameMoveResponse{Envelope: protocol.Envelope{MessageType: protocol.TypeGameMoveResponse}}
		answer.MoveData.Choice = json.RawMessage(tt.move)
		var said transcript
		said.received("player:P01", "referee:REF01", answer)
		doc, _, err := (&protocol.MatchRecord{Transcript: said.all()}).Document()
		if err != nil || len(doc) > maxWritten+2<<10 {
			t.Errorf("%s: a record of %d bytes, %v", name, len(doc), err)
		}
		if got := strings.Contains(string(doc), "omitted_bytes"); got != tt.omitted {
			t.Errorf("%s: omitted: got %v, want %v", name, got, tt.omitted)
		}
	}
}

// All native tokens are redacted, and nothing else.
func FuzzHide(f *testing.F) {
	form := regexp.MustCompile(`tok_[0-9A-Za-z_-]+`)
	for _, text := range []string{
		"", "tok_", "tok_x", `{"auth_token":"tok_match_a-B_9","note":"not a tok_!"}`, "tok_tok_", "tok_\u00e4tok_b c",
		"tok_a tok_", "to tok_k",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		shown, _ := hide(bytes.Clone(text))
		if got, want := string(shown), string(form.ReplaceAll(text, []byte(hidden))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got, want := isNativeToken(string(text)), len(text) > 0 && string(form.Find(text)) == string(text); got != want {
			t.Errorf("%q: is a token of ours: got %v, want %v", text, got, want)
		}
	})
}

// FuzzNotedAnswer: the record of an answer does not depend on whether the transcript has marked it as plain. Two names
// that differ only in their tokens become equal when those are redacted.
func FuzzNotedAnswer(f *testing.F) {
	for _, move := range []string{
		`"even"`, `{"a":1,"a":2}`, "\"\xff\"", `{"tok_a":1,"tok_b":2}`, `{"tok_a":1,"` + hidden + `":2}`, `{"auth_token":"x"}`,
		`[{"\u0061":1,"a":"tok_c"}]`,
	} {
		for _, token := range []string{"", "tok_match_1", "a stranger's"} {
			f.Add([]byte(move), token)
		}
	}
	f.Fuzz(func(t *testing.T, move []byte, token string) {
		answer := protocol.GameMoveResponse{Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeGameMoveResponse, Sender: "player:P01", ConversationID: "conv-1",
			Timestamp: "2025-01-15T10:30:00Z", AuthToken: token,
		}}
		if answer.MoveData.Choice = move; !json.Valid(move) {
			return
		}
		var said transcript
		said.received("player:P01", "referee:REF01", &answer)
		sent, err := protocol.Encode(&answer)
		if err != nil {
			t.Fatal(err)
		}
		if m, _, err := protocol.Decode(sent, protocol.Reading{Type: answer.MessageType, Reply: true}); err == nil {
			said.received("player:P01", "referee:REF01", m)
		}
		known := protocol.MatchRecord{Transcript: said.all()}
		var unknown protocol.MatchRecord
		for _, e := range said.all() {
			unknown.Transcript = append(unknown.Transcript, protocol.TranscriptEntry{
				Seq: e.Seq, Timestamp: e.Timestamp, MessageType: e.MessageType, From: e.From, To: e.To, Message: e.Message,
			})
		}
		got, _, err := known.Line()
		want, _, wrong := unknown.Line()
		if err != nil || wrong != nil || string(got) != string(want) {
			t.Errorf("got  %s, %v\nwant %s, %v", got, err, want, wrong)
		}
		if _, err := protocol.ParseRecord(got); err != nil {
			t.Errorf("%s cannot be read: %v", got, err)
		}
	})
}

// A message that is assumed to fit does fit, for any content.
func TestNoMessageIsTakenToFitThatDoesNot(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	value = func(depth int) any {
		switch kind := random.IntN(4); {
		case depth == 0 || kind == 0:
			return strings.Repeat(`x,:[{"`, random.IntN(20))
		case kind == 1:
			return map[string]any{"a": value(depth - 1), "b": value(depth - 1)}
		default:
			return slices.Repeat([]any{value(depth - 1)}, 1+random.IntN(5))
		}
	}
	sure := 0
	for range 2000 {
		raw, err := json.Marshal(value(1 + random.IntN(6)))
		if err != nil {
			t.Fatal(err)
		}
		if !surelyFits(raw) {
			continue
		}
		sure++
		if got := written(raw); got > maxWritten {
			t.Errorf("%s takes up %d bytes", raw, got)
		}
	}
	if sure < 100 {
		t.Errorf("of 2000 messages only %d surely fit", sure)
	}
}
