package referee_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"agentleague/game/catalog"
	"agentleague/protocol"
)

// ofEvenOdd are words that only Even/Odd has.
var ofEvenOdd = []string{"drawn_number", "parity", "PARITY", protocol.DrawingNumber}

func TestNothingOfEvenOddIsInAnotherGame(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		if g.Info().Type == protocol.EvenOdd {
			continue
		}
		t.Run(g.Info().Type, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.blunderOnce()
				m := order()
				m.GameType = g.Info().Type
				h.play(m)
				wrong := as[protocol.GameError](t, h.sentTo("", protocol.TypeGameError)[0])
				if wrong.ErrorCode != "E004" || wrong.ErrorName != "INVALID_MOVE" || !wrong.Retryable {
					t.Errorf("an illegal move is %s %s, want E004 INVALID_MOVE and another try", wrong.ErrorCode, wrong.ErrorName)
				}
				rec, doc := h.record()
				if rec.Result.Status == protocol.TechnicalLoss || !passes(rec, protocol.ApplyingMoves) {
					t.Errorf("the match ended with %s, by the states %v", rec.Result.Reason, rec.Lifecycle.Transitions)
				}
				h.speaksNotOf(ofEvenOdd, string(doc), h.logged())
			})
		})
	}
}

// blunderOnce lets the players play first options, after one move that no game has.
func (h *harness) blunderOnce() {
	var blundered atomic.Bool
	for _, p := range h.players {
		p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			move := m.MoveRequest.ValidOptions[0]
			if blundered.CompareAndSwap(false, true) {
				move = json.RawMessage(`"no such move"`)
			}
			answer := p.move(move)
			answer.GameType, answer.MoveData.MoveType = m.GameType, m.MoveRequest.MoveType
			return answer, nil
		}
	}
}

// speaksNotOf wants no words in all that the referee sent, nor in further texts.
func (h *harness) speaksNotOf(words []string, texts ...string) {
	h.t.Helper()
	for _, e := range h.sentTo("") {
		texts = append(texts, string(e.body))
	}
	for _, text := range texts {
		for _, word := range words {
			if at := strings.Index(text, word); at >= 0 {
				h.t.Errorf("%s in %q", word, text[max(0, at-80):min(len(text), at+80)])
			}
		}
	}
}

// passes reports whether a match was in a state.
func passes(rec protocol.MatchRecord, state string) bool {
	return slices.ContainsFunc(rec.Lifecycle.Transitions, func(t protocol.Transition) bool { return t.State == state })
}

// A record is hashed and kept permanently: encoding/json produces the same bytes.
func TestRecordInOneLineIsThatOfEncodingJSONInEveryGame(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		t.Run(g.Info().Type, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				m := order()
				if m.GameType = g.Info().Type; m.GameType != protocol.EvenOdd {
					h.blunderOnce()
				}
				h.play(m)
				rec, doc := h.record()
				want, err := json.Marshal(rec)
				if err != nil || string(doc) != string(want) || !protocol.OneLine(doc) {
					t.Errorf("got  %s\nwant %s, %v", doc, want, err)
				}
				if got := h.report().RecordSHA256; got != protocol.RecordHash(want) {
					t.Errorf("the report names the record %s, want %s", got, protocol.RecordHash(want))
				}
			})
		})
	}
}
