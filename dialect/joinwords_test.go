package dialect

import (
	"strings"
	"testing"

	"agentleague/protocol"
)

// joinedBy returns how an answer to an invitation is decoded: yes, no or "".
func joinedBy(answer string) (said, objection string) {
	asked := &protocol.GameInvitation{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: "R1M1"}, GameType: "even_odd",
	}
	m, _, wrong := Sense(asked, []byte(answer), protocol.Reading{Now: arrival})
	if wrong != nil {
		objection = wrong.Sentence()
	}
	switch ack, _ := m.(*protocol.GameJoinAck); {
	case ack == nil:
		return "", objection
	case ack.Accepts():
		return "yes", objection
	}
	return "no", objection
}

// joinPhrases are answers to an invitation, by their meaning.
var joinPhrases = map[string][]string{
	"yes": {
		"true", "yes", "Yes!", "ok", "OK", "okay", "accepted", "ACCEPTED", "ready", "Ready to play", "I am ready.", "joined",
		"Joined!", "sure", "I accept", "Game accepted", "no problem", "No worries", "not a problem", "I'm in", "Count me in!",
		"Let's go", "Of course", "{'accepted': True}", `{"ok":true}`, `{"joined": true, "debug": false}`, "success",
		"Thank you for the invitation! I am happy to join match R1M1 against P02. Let's have a great game!",
	},
	"no": {
		"false", "no", "No.", "NO", "No thanks", "No, I won't", "declined", "I decline", "I refuse to play", "rejected",
		`{"joined": false}`, `{"accept": "no"}`, "nope",
	},
	"": {
		"received", "pending", "Invitation received", "hello", "even", "are you ready?", "maybe", "not ready", "cannot join",
		"Yes, but not now", "no error", "busy", `{"debug": true}`, `{"ready": false}`, "17", "never", "<html>ok</html>",
		"Unknown tool: accept_invitation", "", "I do not decline", "blue", "No such method", "No, unknown method.",
		"Rejected: unknown message type",
	},
}

func TestInvitationsAreAnsweredInWordsInEveryFraming(t *testing.T) {
	t.Parallel()
	for want, phrases := range joinPhrases {
		for _, phrase := range phrases {
			for _, name := range []string{"plain text", "JSON text", "result", "nested", "content", "content and structured", "a stream"} {
				if got, why := joinedBy(framings[name](phrase)); got != want {
					t.Errorf("%s: %q: got %q (%s), want %q", name, phrase, got, why, want)
				}
			}
		}
	}
}

func TestTrueAndFalseAnswerAnInvitation(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"true": "yes", `{"result":true}`: "yes", `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`: "yes", "false": "no",
		`{"result":false}`: "no", `{"result":{"structuredContent":{"result":true}}}`: "yes", `{"result":null}`: "", "{}": "",
		`{"result":{"retryable":true}}`: "", `{"result":{"accepted":true,"joined":false}}`: "",
	} {
		if got, _ := joinedBy(answer); got != want {
			t.Errorf("%s: got %q, want %q", answer, got, want)
		}
	}
}

func TestAnswerThatSaysNeitherYesNorNoIsQuoted(t *testing.T) {
	t.Parallel()
	_, got := joinedBy(`{"result":"what is this"}`)
	if want := `answered "what is this", which says neither yes nor no to the invitation`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, answer := range []string{`{"status":"received"}`, `{"result":{}}`, "", `{"result":null}`, "noted"} {
		if _, got := joinedBy(answer); got != "" {
			t.Errorf("%s: got %s, want nothing: an answer may follow", answer, got)
		}
	}
}

func TestJoinWithAWordForItsAcceptIsWhatTheWordSays(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{`"no"`: false, `"yes"`: true, `"False"`: false, `"declined"`: false, "true": true} {
		raw := []byte(`{"result":{"message_type":"GAME_JOIN_ACK","accept":` + accept + `}}`)
		m, _, err := Unframe(200, raw, protocol.TypeGameJoinAck, protocol.Reading{Now: arrival})
		if err != nil || m == nil {
			t.Fatalf("%s: got %v, %v", raw, m, err)
		}
		Tidy(m, nil)
		if got := m.(*protocol.GameJoinAck).Accepts(); got != want {
			t.Errorf("accept %s: got %v, want %v", accept, got, want)
		}
	}
}
