package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestNumbersAreMovesAsWholeWords(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"4": "4", "cell 4": "4", "I play 4": "4", "Cell 4, please": "4", "(4)": "4", "#4": "4", "position: 4": "4", "[4]": "4",
		"My move is 4.": "4", "Turn 3: cell 4": "4", "I take cell 7 because it wins": "7", `{"cell":4}`: "4", `{"result":"4"}`: "4",
		`{"result":4}`: "4", `{"result":{"cell":4,"latency_ms":2}}`: "4", `{"foo":4}`: "4", `{"move":{"choice":"2"}}`: "2",
		`{"parity_choice":4}`: "4", `{"result":{"content":[{"type":"text","text":"2"}]}}`: "2", "{'move': 7}": "7",
		"44": "", "4.0": "", "04": "", "-4": "", "4th": "", "4x": "", "2 or 4": "", "2, 4": "", "I need 4 seconds": "",
		"round 4": "", "I play 4 games": "", "I'll be there at 4": "", "not 4": "", "4?": "", "2026-04-07": "", "12:04": "",
		"127.0.0.4": "", `{"foo":4,"bar":2}`: "", `{"latency":4}`: "", `{"row":1,"col":2}`: "", `{"cell":5}`: "", `{"id":4}`: "",
		`{"attempt":2}`: "", `{"valid_options":[4]}`: "", `{"free":2}`: "", `{"turn":4}`: "", `{"retry_after_seconds":2}`: "",
	} {
		if got, why := sensed(askedMove("2", "4", "7"), answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
}

func TestOptionsOfAnyGameAreReadAsTheyWereOffered(t *testing.T) {
	t.Parallel()
	rock := askedMove(`"Rock"`, `"PAPER"`, `"scissors"`)
	for answer, want := range map[string]string{
		"rock": `"Rock"`, "I choose paper!": `"PAPER"`, `{"hand":"SCISSORS"}`: `"scissors"`, "rock beats scissors": "", "rocket": "",
		"not rock": "", "my rock collection": "",
	} {
		if got, why := sensed(rock, answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
	if got, _ := sensed(askedMove(`"a"`, `"A"`), "a"); got != "" {
		t.Errorf("one of two options that differ in their case is read as %s", got)
	}
	if got, why := sensed(askedMove(`{"x":1}`, `[2]`), "2"); got != "" || why != "" {
		t.Errorf("options that have no words: got %s, %s", got, why)
	}
}

func TestEchoOfTheQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, asked := range []protocol.Message{askedParity(), askedMove("2"), askedMove(`"even"`)} {
		question := string(encoded(t, asked))
		for _, answer := range []string{
			question, `{"result":` + question + `}`, `{"result":{"received":` + question + `}}`, `{"result":` + inJSON(question) + `}`,
		} {
			if got, _ := sensed(asked, answer); got != "" {
				t.Errorf("%s is read as %s", answer, got)
			}
		}
	}
}

func TestWhatSaysWhoOrWhenIsNotLookedAt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"id", "player_id", "matchId", "timestamp", "created_at", "sender", "display_name", "playerName", "auth_token", "token",
		"signature", "opponent_choice", "lastChoice", "valid_options", "error", "hash", "example", "jsonrpc", "url",
	} {
		answer := `{"result":{"` + name + `":"even"}}`
		if got, _ := sensed(askedParity(), answer); got != "" {
			t.Errorf("%s is read as %s", answer, got)
		}
	}
	for _, answer := range []string{
		`{"result":{"status":"error","message":"even"}}`, `{"result":{"inner":{"error":{"message":"choose even"}}}}`,
		`{"result":{"zug":"even","proof":{"turn":1}}}`, `{"result":{"message_type":"GAME_ERROR","detail":"even"}}`,
	} {
		if got, why := sensed(askedParity(), answer); got != "" {
			t.Errorf("%s is read as %s (%s)", answer, got, why)
		}
	}
}

func TestValueThatIsAnOptionCountsBeforeWhatIsSaidAboutIt(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"my_move":"even","reasoning":"odd lost too often"}`:     `"even"`,
		`{"zug":"Odd","comment":"even was my first thought"}`:     `"odd"`,
		`{"move":"odd","seen":"even"}`:                            `"odd"`,
		`{"a":"even","b":"odd"}`:                                  "",
		`["even","odd"]`:                                          "",
		`{"move":"even","pick":"odd"}`:                            "",
		`{"a":"I choose even","b":"not even"}`:                    "",
		`{"a":"not even","b":"I choose even"}`:                    "",
		`{"first":"I choose even","second":"I choose odd"}`:       "",
		`{"result":{"content":[{"text":"even"},{"text":"odd"}]}}`: "",
	} {
		if got, why := sensed(askedParity(), answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
}

func TestMoveInOtherWordsIsWrittenAsItWasOffered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, want string }{
		{`"even"`, `"even"`}, {`"Even"`, `"even"`}, {`"I choose odd."`, `"odd"`}, {`{"parity":"ODD"}`, `"odd"`}, {`"blue"`, `"blue"`},
		{`"even or odd"`, `"even or odd"`}, {`null`, `null`}, {`7`, `7`}, {`true`, `true`},
	} {
		m := &protocol.ChooseParityResponse{ParityChoice: json.RawMessage(c.said)}
		if Tidy(m, askedParity()); string(m.ParityChoice) != c.want {
			t.Errorf("%s: got %s, want %s", c.said, m.ParityChoice, c.want)
		}
		signed := &protocol.ChooseParityResponse{ParityChoice: json.RawMessage(c.said), Proof: &protocol.Proof{}}
		if Tidy(signed, askedParity()); string(signed.ParityChoice) != c.said {
			t.Errorf("%s was signed, and is changed to %s", c.said, signed.ParityChoice)
		}
	}
	m := &protocol.GameMoveResponse{MoveData: protocol.MoveData{Choice: json.RawMessage(`"4"`)}}
	if Tidy(m, askedMove("4", "7")); string(m.MoveData.Choice) != "4" {
		t.Errorf("got %s, want 4", m.MoveData.Choice)
	}
}

// A move in the offered form is recognized without an allocation.
func TestOrdinaryMovesAreNotLookedInto(t *testing.T) {
	parity := &protocol.ChooseParityResponse{ParityChoice: json.RawMessage(`"odd"`)}
	cell := &protocol.GameMoveResponse{MoveData: protocol.MoveData{Choice: json.RawMessage("7")}}
	choose, place := askedParity(), askedMove("2", "4", "7")
	if n := testing.AllocsPerRun(100, func() { Tidy(parity, choose); Tidy(cell, place) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestMoveIsTheSameInEitherTypeOfMessage(t *testing.T) {
	t.Parallel()
	choice := &protocol.ChooseParityResponse{PlayerID: "P01", ParityChoice: json.RawMessage(`"odd"`)}
	choice.MessageType = protocol.TypeChooseParityResponse
	move, ok := AsSibling(choice).(*protocol.GameMoveResponse)
	if !ok || move.PlayerID != "P01" || string(move.MoveData.Choice) != `"odd"` {
		t.Fatalf("got %+v", move)
	}
	if back, ok := AsSibling(move).(*protocol.ChooseParityResponse); !ok || string(back.ParityChoice) != `"odd"` ||
		back.MessageType != choice.MessageType {
		t.Errorf("got %+v, want what it was", back)
	}
	choice.Proof = &protocol.Proof{}
	if got := AsSibling(choice); got != nil {
		t.Errorf("a signed move became %+v", got)
	}
}

func TestRefusedAnswerIsQuotedInOneLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("blue ", 1000)
	for answer, want := range map[string]string{
		`{"result":"I choose blue"}`:                             `answered "I choose blue", which holds neither even nor odd`,
		"even or odd":                                            `answered "even or odd", which holds both even and odd`,
		"line one\nline \x1b[31mtwo\x00":                         `answered "line one line [31mtwo", which holds neither even nor odd`,
		`{"result":{"a":"x","b":"y"}}`:                           `answered "x" and "y", which holds neither even nor odd`,
		`{"result":{"content":[{"type":"text","text":"blue"}]}}`: `answered "blue", which holds neither even nor odd`,
		`["even","odd"]`:                                         `answered "even" and "odd", which holds both even and odd`,
		`{"a":"one","b":"two","c":"three","d":"four","auth_token":"tok_match_secret"}`: `answered "one", "two", "three" and more, which`,
		"my token is tok_match_secret": `answered "my token is tok_…(redacted)", which`,
		"even so":                      `answered "even so", which does not plainly choose even`,
		"<html>":                       `answered with a web page`,
		`{"result":false}`:             `answered false, which holds neither even nor odd`,
		long:                           "blue …\", which",
		strings.Repeat("x", 300<<10):   "at a length or depth that is not read",
	} {
		if _, got := sensed(askedParity(), answer); !strings.Contains(got, want) || !isSentence(got) {
			t.Errorf("%.40q: got %s, want %s", answer, got, want)
		}
	}
	if _, got := sensed(askedMove("2", "4", "7"), "the corner"); !strings.Contains(got, "which holds none of 2, 4 and 7") {
		t.Errorf("got %s", got)
	}
	if _, got := sensed(askedMove("4"), "the corner"); !strings.Contains(got, "which does not hold 4") {
		t.Errorf("got %s", got)
	}
}

func TestMereAcknowledgementOfAQuestionIsNotObjectedTo(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"", "ok", "OK", "true", `{"result":true}`, `{"status":"received"}`, `{"result":{"status":"ok","timestamp":"now"}}`, "{}",
		`{"result":null}`, `{"result":"Message received"}`, `{"result":{"acknowledged":true,"match_id":"R1M1"}}`, "Thinking...",
	} {
		if move, why := sensed(askedParity(), answer); move != "" || why != "" {
			t.Errorf("%s: got %q, %s; want neither", answer, move, why)
		}
	}
}
