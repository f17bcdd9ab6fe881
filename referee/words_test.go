package referee_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// inWords makes P01, a third-party player, answer with its own words: words gets the canonical answer and its type.
func (h *harness) inWords(words func(t protocol.Type, answer []byte) string) {
	h.meddle(func(url, label string, answer []byte, err error) ([]byte, error) {
		if !strings.Contains(url, ":8101") || err != nil {
			return answer, err
		}
		if said := words(protocol.Type(strings.Fields(label)[0]), answer); said != "" {
			return []byte(said), nil
		}
		return answer, nil
	})
}

// foreignOrder is the order of a match in which P01 is of another make.
func foreignOrder() *protocol.StartMatch {
	m := order()
	m.PlayerA.Dialect = "A"
	return m
}

// answering answers each type of question with a fixed text.
func answering(texts map[protocol.Type]string) func(protocol.Type, []byte) string {
	return func(t protocol.Type, _ []byte) string { return texts[t] }
}

func TestPlayerThatAnswersInWordsPlays(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string]map[protocol.Type]string{
		"results": {
			protocol.TypeGameInvitation:   `{"jsonrpc":"2.0","id":1,"result":true}`,
			protocol.TypeChooseParityCall: `{"jsonrpc":"2.0","id":1,"result":"I choose Odd."}`,
		},
		"plain text": {protocol.TypeGameInvitation: "yes", protocol.TypeChooseParityCall: "ODD"},
		"content": {
			protocol.TypeGameInvitation:   `{"result":{"content":[{"type":"text","text":"Ready!"}]}}`,
			protocol.TypeChooseParityCall: `{"result":{"content":[{"type":"text","text":"odd"}],"structuredContent":{"result":"odd"}}}`,
		},
		"capitals":   {protocol.TypeChooseParityCall: `{"result":{"parity_choice":"Odd"}}`},
		"camel case": {protocol.TypeChooseParityCall: `{"result":{"parityChoice":"odd"}}`},
		"a move": {
			protocol.TypeChooseParityCall: `{"result":{"message_type":"GAME_MOVE_RESPONSE","move_data":{"choice":"odd"}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withReferee(t, setting{}, func(h *harness) {
				h.inWords(answering(texts))
				h.play(foreignOrder())
				if over := h.over("P01"); string(over.YourChoice) != `"odd"` || over.GameResult.Status == protocol.TechnicalLoss {
					t.Errorf("got %s and %s, want odd and a match that was played", over.YourChoice, over.GameResult.Status)
				}
				h.checkTimes("P01", protocol.TypeChooseParityCall, 0)
			})
		})
	}
}

func TestTranscriptHasTheWordsOfThePlayer(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		h.inWords(answering(map[protocol.Type]string{protocol.TypeChooseParityCall: `{"result":"My choice is even!"}`}))
		h.play(foreignOrder())
		got := h.received("P01", protocol.TypeChooseParityResponse)
		if len(got) != 1 || !strings.Contains(string(got[0].Message), "My choice is even!") {
			t.Errorf("got %+v, want what it said", got)
		}
	})
}

func TestAnswerThatCannotBeReadIsQuotedToItsAuthor(t *testing.T) {
	t.Parallel()
	atOnce, afterOneDeadline := []float64{0, 2, 4, 6}, []float64{30, 32, 34, 36}
	for _, c := range []struct {
		answer, want string
		told         []float64 // an error for a possible acknowledgement is sent at once only after one without a callback
	}{
		{`{"result":"I choose blue"}`, `answered "I choose blue", which holds neither even nor odd`, atOnce},
		{`{"result":"even or odd"}`, `answered "even or odd", which holds both even and odd`, afterOneDeadline},
		{"not even", `answered "not even", which does not plainly choose even`, afterOneDeadline},
	} {
		withReferee(t, setting{}, func(h *harness) {
			h.inWords(answering(map[protocol.Type]string{protocol.TypeChooseParityCall: c.answer}))
			h.play(foreignOrder())
			h.checkForfeits(map[string]string{"P01": "E004"})
			h.checkTimes("P01", protocol.TypeGameError, c.told...)
			told := as[protocol.GameError](t, h.heardBy("P01", protocol.TypeGameError)[0])
			if told.ErrorCode != "E004" || !strings.Contains(told.Detail, c.want) {
				t.Errorf("%s: got %s %s, want E004 %s", c.answer, told.ErrorCode, told.Detail, c.want)
			}
		})
	}
}

func TestInvitationAnsweredWithNeitherYesNorNoIsQuoted(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		h.inWords(answering(map[protocol.Type]string{protocol.TypeGameInvitation: `{"result":"what is this"}`}))
		h.play(foreignOrder())
		told := as[protocol.GameError](t, h.heardBy("P01", protocol.TypeGameError)[0])
		if want := `answered "what is this", which says neither yes nor no`; !strings.Contains(told.Detail, want) {
			t.Errorf("got %s, want %s", told.Detail, want)
		}
	})
}

func TestPlayerThatSaysNoHasDeclined(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		h.inWords(answering(map[protocol.Type]string{protocol.TypeGameInvitation: `{"result":"No, thanks."}`}))
		h.play(foreignOrder())
		h.checkForfeits(map[string]string{"P01": protocol.Declined})
	})
}

// A mere acknowledgement of a question is neither an answer nor an error.
func TestAcknowledgementOfAQuestionIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{"result":"ok"}`, `{"result":{"status":"received"}}`, "true", ""} {
		withReferee(t, setting{}, func(h *harness) {
			h.inWords(func(asked protocol.Type, _ []byte) string {
				if asked == protocol.TypeChooseParityCall {
					return answer + " "
				}
				return ""
			})
			h.play(foreignOrder())
			h.checkForfeits(map[string]string{"P01": "E001"})
		})
	}
}

func TestCallbackCountsAfterWordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			go func() {
				pass(3 * time.Second)
				if code := p.callBack(in(m.ConversationID, p.move(quoted("Odd, please")))); code != "" {
					t.Errorf("got %q, want the answer taken", code)
				}
			}()
			return p.nothing(), nil
		}
		h.inWords(answering(map[protocol.Type]string{protocol.TypeChooseParityCall: `{"result":"let me think about it"}`}))
		h.play(foreignOrder())
		h.checkTimes("P01", protocol.TypeGameOver, 3)
		if over := h.over("P01"); string(over.YourChoice) != `"odd"` {
			t.Errorf("got %s, want odd", over.YourChoice)
		}
	})
}

func TestNothingIsGuessedStrictlyNorOfOurOwn(t *testing.T) {
	t.Parallel()
	words := answering(map[protocol.Type]string{protocol.TypeChooseParityCall: `{"result":"even"}`})
	strictly := setting{opts: referee.Options{Options: rpc.Options{Strict: true}}}
	for name, c := range map[string]struct {
		setting
		order *protocol.StartMatch
	}{"strictly": {strictly, foreignOrder()}, "of our own": {setting{}, order()}} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, c.setting, func(h *harness) {
				h.inWords(words)
				for id, p := range h.players {
					p.token = "tok_match_of_" + id // without which no answer counts strictly
				}
				c.order.ConversationID = "conv-order"
				h.play(c.order)
				h.checkForfeits(map[string]string{"P01": "E001"})
			})
		})
	}
}

func TestCellsAreChosenInWords(t *testing.T) {
	t.Parallel()
	withReferee(t, setting{}, func(h *harness) {
		h.inWords(func(asked protocol.Type, sent []byte) string {
			var answer struct {
				Result protocol.GameMoveResponse `json:"result"`
			}
			if asked != protocol.TypeGameMoveCall || json.Unmarshal(sent, &answer) != nil {
				return ""
			}
			return fmt.Sprintf(`{"result":"I take cell %s, thank you."}`, answer.Result.MoveData.Choice)
		})
		m := foreignOrder()
		m.GameType = "tic_tac_toe"
		h.play(m)
		if over := h.over("P01"); over.GameResult.Status == protocol.TechnicalLoss {
			t.Errorf("got %+v, want a match that was played", over.GameResult)
		}
		if n := len(h.sentTo("P01", protocol.TypeGameError)); n != 0 {
			t.Errorf("%d errors, want none", n)
		}
	})
}
