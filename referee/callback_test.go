package referee_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// received counts, in the transcript, the answers of a player of one type.
func (h *harness) received(player string, typ protocol.Type) (out []protocol.TranscriptEntry) {
	rec, _ := h.record()
	for _, e := range rec.Transcript {
		if e.From == "player:"+player && e.MessageType == typ {
			out = append(out, e)
		}
	}
	return out
}

func TestLateCallbackCountsInThePauseAndIsRefusedWhenItsSeatIsClosed(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			go func() {
				pass(31 * time.Second)
				if code := p.callBack(in(m.ConversationID, p.parity(quoted("odd")))); code != "" {
					t.Errorf("in the pause: got %q, want the answer taken", code)
				}
				if code := p.callBack(in(m.ConversationID, p.parity(quoted("even")))); code != "E008" {
					t.Errorf("after the answer: got %q, want E008", code)
				}
			}()
			return never(p.process.Context()) // its call stays open until the deadline
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0)
		h.checkTimes("P01", protocol.TypeGameError, 30)
		h.checkTimes("P01", protocol.TypeGameOver, 31)
		if over := h.over("P01"); string(over.YourChoice) != `"odd"` {
			t.Errorf("the choice is %s, want \"odd\"", over.YourChoice)
		}
		pass(time.Second)
	})
}

func TestCallbackAfterAForfeitIsTooLate(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		var conversation string
		p := h.players["P01"]
		p.asked = func(ctx context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			conversation = m.ConversationID
			return never(ctx)
		}
		h.play(order())
		if code := p.callBack(in(conversation, p.parity(quoted("odd")))); code != "E008" {
			t.Errorf("got %q, want E008", code)
		}
		h.checkForfeits(map[string]string{"P01": "E001"})
	})
}

func TestIllegalCallbackCostsOneTryAndKeepsThePause(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			go p.callBack(in(m.ConversationID, p.parity(quoted("banana"))))
			return p.nothing(), nil
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 2, 4, 6)
		h.checkTimes("P01", protocol.TypeGameError, 0, 2, 4, 6)
		h.checkForfeits(map[string]string{"P01": "E004"})
		if got := len(h.received("P01", protocol.TypeChooseParityResponse)); got != 4 {
			t.Errorf("the transcript has %d answers, want 4", got)
		}
	})
}

func TestRightCallbackInThePauseMakesUpForAnIllegalAnswer(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			go func() {
				pass(time.Second)
				p.callBack(in(m.ConversationID, p.parity(quoted("odd"))))
			}()
			return p.parity(quoted("banana")), nil
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0)
		h.checkTimes("P01", protocol.TypeGameOver, 1)
		h.checkForfeits(nil)
	})
}

func TestIllegalCallbacksInThePauseChangeNothing(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p, codes := h.players["P01"], make(chan string, 12)
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			go func() {
				pass(time.Second)
				for range 3 {
					codes <- p.callBack(in(m.ConversationID, p.parity(quoted("pear"))))
				}
			}()
			return p.parity(quoted("banana")), nil
		}
		h.play(order())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 2, 4, 6)
		h.checkForfeits(map[string]string{"P01": "E004"})
		if got := len(h.received("P01", protocol.TypeChooseParityResponse)); got != 4+3 {
			t.Errorf("the transcript has %d answers, want 4 and one from each pause", got)
		}
		pass(2 * time.Second) // after the forfeit every answer is too late
		for i, want := range []string{"", "E008", "E008", "", "E008", "E008", "", "E008", "E008", "E008", "E008", "E008"} {
			if code := <-codes; code != want {
				t.Errorf("callback %d got %q, want %q", i, code, want)
			}
		}
	})
}

func TestFloodOfCallbacksIsBelievedOnce(t *testing.T) {
	// the error of each forged message names its fault
	unlimited := referee.Options{Options: rpc.Options{Limits: rpc.Limits{Failed: -1}}}
	withReferee(t, setting{opts: unlimited}, func(h *harness) {
		flooding(h.players["P01"], 150)
		h.play(order())
		over := h.over("P02")
		if string(over.OpponentChoice) != `"odd"` {
			t.Errorf("P01 chose %s, want the first answer of its own, \"odd\"", over.OpponentChoice)
		}
		for _, typ := range []protocol.Type{protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse} {
			if got := len(h.received("P01", typ)); got != 1 {
				t.Errorf("the transcript has %d %s, want 1", got, typ)
			}
		}
	})
}

func TestCallbackMayShowTheTokenOfTheMatchInstead(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			for _, try := range []struct{ token, choice, want string }{
				{"tok_match_of_P02", "even", "E012"}, {"tok_match_of_P01", "odd", ""},
			} {
				answer := p.parity(quoted(try.choice))
				answer.AuthToken = try.token
				if code := p.callBack(answer); code != try.want {
					t.Errorf("with %s: got %q, want %q", try.token, code, try.want)
				}
			}
			return p.nothing(), nil
		}
		h.play(order())
		if over := h.over("P01"); string(over.YourChoice) != `"odd"` {
			t.Errorf("the choice is %s, want \"odd\"", over.YourChoice)
		}
	})
}

func TestWhatAPlayerSendsCannotSpoilTheRecord(t *testing.T) {
	tests := []struct {
		name, more string
		check      func(t *testing.T, noted []byte)
	}{
		{"tokens anywhere", `{"deep":[{"auth_token":"tok_player_P01_its-own-secret"},"see tok_match_of_P01, please"]}`,
			func(t *testing.T, noted []byte) {
				if bytes.Contains(noted, []byte("secret")) || bytes.Contains(noted, []byte("of_P01")) {
					t.Errorf("a token is in the transcript: %s", noted)
				}
			}},
		{"bytes that are no text", "\"\xff\xfe\"", func(t *testing.T, noted []byte) {
			if !strings.Contains(string(noted), "more") {
				t.Errorf("got %s, want what it sent, made readable", noted)
			}
		}},
		{"a megabyte", `"` + strings.Repeat("x", 900_000) + `"`, func(t *testing.T, noted []byte) {
			if len(noted) > 4096 || !bytes.Contains(noted, []byte("omitted_bytes")) {
				t.Errorf("%d bytes are in the transcript, want them omitted", len(noted))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.meddle(func(url, label string, answer []byte, err error) ([]byte, error) {
					if label == "CHOOSE_PARITY_CALL R1M1" && h.nameOf(url) == "P01" {
						answer = fmt.Appendf(nil, `{"result":{"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"odd","more":%s}}`,
							tt.more)
					}
					return answer, err
				})
				h.play(order())
				answers := h.received("P01", protocol.TypeChooseParityResponse)
				if len(answers) != 1 {
					t.Fatalf("the transcript has %d answers, want 1", len(answers))
				}
				tt.check(t, answers[0].Message)
				got := h.fetch(protocol.RecordRef{LeagueID: leagueID, MatchID: "R1M1", Attempt: 1})
				if len(got) != 1 || protocol.RecordHash([]byte(got[0].Document)) != h.report().RecordSHA256 {
					t.Error("the record does not come to the manager with the hash that was reported")
				}
				if over := h.over("P01"); string(over.YourChoice) != `"odd"` {
					t.Errorf("the choice is %s, want \"odd\"", over.YourChoice)
				}
			})
		})
	}
}

// fetch asks the referee for records as its manager does.
func (h *harness) fetch(refs ...protocol.RecordRef) []protocol.RecordDocument {
	h.t.Helper()
	reply, err := h.manager.call(&protocol.GetMatchRecords{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords}, Records: refs,
	})
	if err != nil {
		h.t.Errorf("get_match_records: %v", err)
		return nil
	}
	return reply.(*protocol.MatchRecords).Records
}
