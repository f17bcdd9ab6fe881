package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
)

// askedParity is a CHOOSE_PARITY_CALL as a referee sends it.
func askedParity() protocol.Message {
	return &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeChooseParityCall, Protocol: protocol.Version, Sender: "referee:REF01", MatchID: "R1M1",
			ConversationID: "conv-odd", Timestamp: "2026-01-01T00:00:00Z", LeagueID: "even",
		},
		PlayerID: "P01", GameType: "even_odd", Context: protocol.ChooseContext{OpponentID: "P02", RoundID: 1},
		Deadline: "2026-01-01T00:00:30Z", Attempt: 1,
	}
}

// askedMove is a GAME_MOVE_CALL with these options.
func askedMove(options ...string) protocol.Message {
	m := &protocol.GameMoveCall{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameMoveCall, MatchID: "R1M1", ConversationID: "conv-1"},
		PlayerID: "P01", GameType: "tic_tac_toe", Turn: 3, View: "a board with 4 free cells", Attempt: 1,
		MoveRequest: protocol.MoveRequest{MoveType: "place_mark", Context: json.RawMessage(`{"board":["X","",""],"free":2}`)},
	}
	for _, o := range options {
		m.MoveRequest.ValidOptions = append(m.MoveRequest.ValidOptions, json.RawMessage(o))
	}
	return m
}

// sensed returns the move that an answer is read as, in JSON, "" for none, and
// the sentence for its author.
func sensed(asked protocol.Message, answer string) (move, objection string) {
	m, _, wrong := Sense(asked, []byte(answer), protocol.Reading{Now: arrival})
	if wrong != nil {
		objection = wrong.Sentence()
	}
	if m == nil {
		return "", objection
	}
	raw, _ := moveIn(m)
	return string(*raw), objection
}

// framings put a text into an answer in the ways in which agents answer.
var framings = map[string]func(text string) string{
	"plain text": func(s string) string { return s },
	"JSON text":  func(s string) string { return inJSON(s) },
	"result":     func(s string) string { return `{"jsonrpc":"2.0","id":7,"result":` + inJSON(s) + `}` },
	"result, no error": func(s string) string {
		return `{"jsonrpc":"2.0","id":7,"error":null,"result":` + inJSON(s) + `}`
	},
	"object":  func(s string) string { return `{"result":{"zug":` + inJSON(s) + `,"player_id":"odd"}}` },
	"nested":  func(s string) string { return `{"result":{"response":{"data":{"x":` + inJSON(s) + `}}}}` },
	"bare":    func(s string) string { return `{"status":"ok","whatever":` + inJSON(s) + `,"timestamp":"odd"}` },
	"content": func(s string) string { return `{"result":{"content":[{"type":"text","text":` + inJSON(s) + `}]}}` },
	"content and structured": func(s string) string {
		return `{"result":{"content":[{"type":"text","text":` + inJSON(s) + `}],"structuredContent":{"result":` + inJSON(s) +
			`},"isError":false}}`
	},
	"JSON in a text":   func(s string) string { return `{"result":` + inJSON(`{"pick":`+inJSON(s)+`}`) + `}` },
	"a stream":         func(s string) string { return "event: message\ndata: {\"id\":1,\"result\":" + inJSON(s) + "}\n\n" },
	"a stream of text": func(s string) string { return "event: message\ndata: " + strings.Join(strings.Fields(s), " ") + "\n\n" },
	"a fence":          func(s string) string { return inJSON("```json\n{\"pick\": " + inJSON(s) + "}\n```") },
}

func inJSON(s string) string { return string(quoted(s)) }

// plainWords are answers that a person takes for a choice.
var plainWords = map[string][]string{
	"even": {
		"even", "Even", "EVEN", " even \n", `"even"`, "'even'", "`even`", "**even**", "even.", "even!", "(even)", "“Even”",
		"I choose even", "I choose even.", "My choice is EVEN.", "my choice: even", "choice=even", "Even it is!",
		"I'll go with even", "I’ll go with even this time", "Let's go even!", "going with even", "Definitely even.",
		"I pick even because I feel lucky", "I am choosing even for this round.", "even please", "Even, please.",
		"The answer is even", "Parity: even", "It's even.", "The number will be even", "I want an even number",
		"Thank you for the invitation! I choose **even**. Good luck!", "Good luck to you! My move: even",
		"After careful thought, my final answer is: Even", "As you asked, I choose even.", "Player P01 chooses even",
		"Playing even_odd: even", "I say \"even\"", "Okay, even.", "Sure! Even.", "I bet on even", "even number",
		"Which one is it? Even.", "I choose even. Even though it is risky.", "even 🎲",
		"I'd like to play even, thanks", "I pick even as my parity", "{'choice': 'even'}", `{"parityChoice": "even"}`, `{"choice": "EVEN"}`,
		"{'ok': True, 'zug': 'Even', 'note': None}", "Here is my answer: {\"choice\": \"even\"}",
	},
	"odd": {
		"odd", "Odd", "ODD!!!", "I choose odd", "My pick: odd", "I'm going with odd.", "odd it is", "I take odd again",
		"Even though it is late, I choose odd", "I'll say odd, thank you", "{'parity': 'Odd'}", "Odd parity please",
		"An odd number, please", "We play odd", "odd odd odd", "I choose odd against P02", "Hmm... odd", "=> odd",
		"As an AI language model, I choose odd.", "I take an odd number for this round",
	},
}

// noChoice has answers with no option, several, or an unclear choice.
var noChoice = []string{
	"blue", "I choose blue", "uneven", "oddly", "evening", "Good evening", "odds", "evens", "eleven", "seven", "evenodd",
	"even_odd", "even-odd", "oddity", "even or odd", "even/odd", "Even, odd", "choose even or odd", "odd? even?",
	"even and odd", "not even", "Not even.", "anything but odd", "anything but\nodd", "isn't even", "isn’t even",
	"It is not odd", "never odd", "neither even", "probably even", "maybe odd", "perhaps even", "No, odd", "No. Odd.",
	"Even. Not!", "even?", "Even?", "Should I play even?", "Did you say odd", "even so", "even if", "Even though",
	"even then", "even as we speak", "even better", "even more", "how odd", "How odd!", "very odd", "that's odd", "That is odd.",
	"This is odd.", "odd question", "an odd request", "seems odd", "break even", "We get even", "I cannot even",
	"I can't even", "You chose even", "Your choice is odd", "They picked even", "My opponent plays odd",
	"the opposite of even", "rather than even", "I switch from odd", "I would have picked even", "I could play even",
	"If it rains, even", "Last time it was odd", "The last number was even", "e.g. even", "Example: odd",
	"50% even", "http://example.com/even", "lorem ipsum even dolor", "lorem ipsum dolor even", "I do not choose even",
	"I don't want odd", "without even", "except odd", "I would never in my whole life choose\neven", "even the best lose",
	"It was an odd day and I stayed home", "the odd one out", "all even", "I find that odd.", "either even",
	"Even it fails", "I am odd", "We are even.", "<p>even</p>", "<!DOCTYPE html><html><body>even</body></html>",
	"That's an odd number of players", "4 is an even number", "7 is odd", "I won this round with even", "My previous choice: even",
	"I used to like odd", "Can I choose even", "P02 plays odd", "Let's even things out", "odd loses", "thanks for the even game",
	"", "?", "…", "null", "no", "42", "e v e n", "3v3n", "ev en", "0", "P01", "\x00\x01\xff",
}

func TestPlainWordsAreAMoveInEveryFraming(t *testing.T) {
	t.Parallel()
	for want, phrases := range plainWords {
		for _, phrase := range phrases {
			for name, frame := range framings {
				if got, why := sensed(askedParity(), frame(phrase)); got != inJSON(want) {
					t.Errorf("%s: %q: got %q (%s), want %s", name, phrase, got, why, want)
				}
			}
		}
	}
}

func TestWhatIsNotPlainIsNoMoveInAnyFraming(t *testing.T) {
	t.Parallel()
	for _, phrase := range noChoice {
		for name, frame := range framings {
			if got, _ := sensed(askedParity(), frame(phrase)); got != "" {
				t.Errorf("%s: %q is read as %s, want no move", name, phrase, got)
			}
		}
	}
}
