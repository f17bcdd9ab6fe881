package referee_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// TestCapturedTokenSpendsNoTryOfANativePlayer has an attacker that has read the token of the match answer for a player
// that signs, from the player's machine and with all but its key, before the player answers. The player has one try.
func TestCapturedTokenSpendsNoTryOfANativePlayer(t *testing.T) {
	proofs := map[string]func(move json.RawMessage) *protocol.Proof{
		"no proof":              func(json.RawMessage) *protocol.Proof { return nil },
		"another's signature":   func(m json.RawMessage) *protocol.Proof { return newPen("P02").sign(0, "", m) },
		"that of another turn":  func(m json.RawMessage) *protocol.Proof { return newPen("P01").sign(1, "", m) },
		"that of another move":  func(json.RawMessage) *protocol.Proof { return newPen("P01").sign(0, "", quoted("even")) },
		"nothing but zeros":     func(m json.RawMessage) *protocol.Proof { return zeros(newPen("P01").sign(0, "", m)) },
		"that of another match": func(m json.RawMessage) *protocol.Proof { return elsewhere().sign(0, "", m) },
	}
	in := setting{}
	in.opts.Policy.MaxRetries = -1
	withReferee(t, in, func(h *harness) {
		p, w := h.players["P01"], newPen("P01")
		h.players["P02"].signs(`"odd"`)
		p.invited = func(_ context.Context, m *protocol.GameInvitation) (protocol.Message, error) {
			no := p.join(false)
			no.AuthToken = m.AuthToken
			if code := p.callBack(no); code != "E012" {
				t.Errorf("a decline in its name: got %q, want E012", code)
			}
			return p.join(true), nil
		}
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			for name, sign := range proofs {
				forged := p.parity(quoted("odd"))
				forged.AuthToken, forged.Proof = m.AuthToken, sign(forged.ParityChoice)
				if code := p.callBack(forged); code != "E012" {
					t.Errorf("%s: got %q, want E012", name, code)
				}
			}
			answer := p.parity(quoted("even"))
			answer.Proof = w.sign(0, "", answer.ParityChoice)
			return answer, nil
		}
		h.play(nativeOrder())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0)
		h.checkForfeits(nil)
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"even"`)
		if got := strings.Count(h.logged(), "someone else answers for a player"); got != 1 {
			t.Errorf("it is said %d times, want once", got)
		}
		if got := len(h.received("P01", protocol.TypeChooseParityResponse)); got != 1 {
			t.Errorf("the transcript has %d answers of P01, want its own", got)
		}
	})
}

func zeros(p *protocol.Proof) *protocol.Proof {
	p.Signature = strings.Repeat("00", 64)
	return p
}

// elsewhere is the player's signing state in another match.
func elsewhere() *pen {
	w := newPen("P01")
	w.bout.Match = "R2M1"
	w.chain = w.bout.NewChain()
	return w
}

// TestNativePlayerMayAnswerByACall has a player that signs answer only by callback: an illegal move costs it a try, and
// a copy of that move by an attacker costs no second try.
func TestNativePlayerMayAnswerByACall(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p, w := h.players["P01"], newPen("P01")
		h.players["P02"].signs(`"odd"`)
		p.invited = func(_ context.Context, m *protocol.GameInvitation) (protocol.Message, error) {
			go p.callBack(in(m.ConversationID, p.join(true)))
			return p.nothing(), nil
		}
		var illegal *protocol.ChooseParityResponse
		p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
			say := func(move string) *protocol.ChooseParityResponse {
				answer := in(m.ConversationID, p.parity(quoted(move)))
				answer.Proof = w.sign(0, "", answer.ParityChoice)
				return answer
			}
			if illegal == nil {
				illegal = say("banana")
				go p.callBack(illegal)
				return p.nothing(), nil
			}
			again := *illegal
			right := say("even")
			go func() {
				if code := p.callBack(&again); code != "E012" {
					t.Errorf("the illegal move, repeated: got %q, want E012", code)
				}
				pass(time.Second)
				if code := p.callBack(right); code != "" {
					t.Errorf("the right move: got %q, want it taken", code)
				}
			}()
			return p.nothing(), nil
		}
		h.play(nativeOrder())
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 2)
		h.checkForfeits(nil)
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"banana"`, `"even"`)
	})
}
