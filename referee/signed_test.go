package referee_test

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
)

// A pen is a native player's state for signing its answers.
type pen struct {
	key   ed25519.PrivateKey
	bout  protocol.AnswerContext
	chain protocol.AnswerChain
}

func newPen(id string) *pen {
	commitment := commitmentOf(drawKey)
	p := &pen{key: keyOf(id), bout: protocol.AnswerContext{
		Seal: sealOfLeague, Match: "R1M1", Attempt: 1, Referee: "REF01", Player: id, Commitment: commitment,
		Head: strings.Repeat("ab", 32),
	}}
	p.chain = p.bout.NewChain()
	return p
}

// keyOf is the key of a native player.
func keyOf(id string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte((id + strings.Repeat("#", 32))[:32]))
}

func commitmentOf(key string) string {
	b, _ := hex.DecodeString(key)
	return protocol.KeyCommitment(b)
}

// sign signs the next answer.
func (p *pen) sign(turn int, view string, move json.RawMessage) *protocol.Proof {
	text := protocol.MoveText(move)
	p.chain = p.chain.Then(turn, view, text)
	return &protocol.Proof{Head: p.bout.Head, Move: text, Signature: p.chain.Sign(p.key)}
}

// native is an order for players that sign.
func nativeOrder() *protocol.StartMatch {
	m := order()
	m.Seal = sealOfLeague
	m.PlayerA.PublicKey, m.PlayerB.PublicKey = protocol.PublicKey(keyOf("P01")), protocol.PublicKey(keyOf("P02"))
	return m
}

// signs lets a player give and sign these choices, one for each call; the last again and again.
func (p *fakePlayer) signs(choices ...string) *pen {
	w, n := newPen(p.id), 0
	var last *protocol.ChooseParityResponse
	p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
		if n++; n <= len(choices) {
			last = p.parity(json.RawMessage(choices[n-1]))
			last.Proof = w.sign(0, "", last.ParityChoice)
		}
		again := *last
		return &again, nil
	}
	return w
}

// checkSigned compares the record of a player's answers with those that it signed.
func (h *harness) checkSigned(rec protocol.MatchRecord, id string, moves ...string) {
	h.t.Helper()
	s := rec.Signed[id]
	var got []string
	for _, a := range s.Answers {
		got = append(got, a.Move)
	}
	if fmt.Sprint(got) != fmt.Sprint(moves) {
		h.t.Errorf("%s has signed %q, want %q", id, got, moves)
		return
	}
	if len(moves) == 0 {
		return
	}
	b := newPen(id).bout
	b.Head = ""
	if err := s.Check(b, protocol.PublicKey(keyOf(id))); err != nil {
		h.t.Error(err)
	}
}

func TestSignedAnswersStandInRecordAndReport(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P01"].signs(`"even"`)
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"even"`)
		h.checkSigned(rec, "P02", `"odd"`)
		if got, want := shown(h.report().Signed), shown(rec.Signed); got != want {
			t.Errorf("reported %s, want %s", got, want)
		}
	})
}

func TestSignedAnswersOfALongerGame(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		for id, p := range h.players {
			w := newPen(id)
			p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
				move := p.move(m.MoveRequest.ValidOptions[0])
				move.Proof = w.sign(m.Turn, m.View, move.MoveData.Choice)
				return move, nil
			}
		}
		m := nativeOrder()
		m.GameType = "tic_tac_toe"
		h.play(m)
		rec, _ := h.record()
		for i, id := range []string{"P01", "P02"} {
			var moves []string
			for _, mv := range rec.Moves {
				if mv.PlayerID == id {
					moves = append(moves, string(mv.Move))
				}
			}
			h.checkSigned(rec, id, moves...)
			for k, a := range rec.Signed[id].Answers {
				if a.Turn != 2*k+i || len(a.View) != 64 {
					t.Errorf("%s: answer %d is %s", id, k, shown(a))
				}
			}
		}
	})
}

func TestIllegalMoveThatIsSignedIsRefusedAndKept(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P01"].signs(`"banana"`, `"even"`)
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"banana"`, `"even"`)
		if e := as[protocol.GameError](t, h.heardBy("P01", protocol.TypeGameError)[0]); e.ErrorCode != "E004" {
			t.Errorf("got %s, want E004", e.ErrorCode)
		}
	})
}

func TestAnswerThatComesAgainIsNotAddedAgain(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P01"].signs(`"banana"`)
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"banana"`)
		h.checkSigned(rec, "P02", `"odd"`)
		if got := rec.Result.Forfeits["P01"]; got != "E004" || len(h.heardBy("P01", protocol.TypeChooseParityCall)) != 4 {
			t.Errorf("it forfeits with %q after %d calls, want E004 after 4", got,
				len(h.heardBy("P01", protocol.TypeChooseParityCall)))
		}
	})
}

func TestWrongProofsAreRefusedWithASentenceAndNotCounted(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(m *protocol.ChooseParityResponse)
		want  string
	}{
		"none":         {func(m *protocol.ChooseParityResponse) { m.Proof = nil }, "the answer has no proof"},
		"another move": {func(m *protocol.ChooseParityResponse) { m.Proof.Move = `"odd"` }, "proof.move: got"},
		"swapped after": {func(m *protocol.ChooseParityResponse) {
			m.ParityChoice, m.Proof.Move = quoted("odd"), `"odd"`
		}, "proof.signature: it is not of this answer"},
		"another head": {func(m *protocol.ChooseParityResponse) {
			m.Proof.Head = strings.Repeat("cd", 32)
		}, "proof.signature: it is not of this answer"},
		"no head": {func(m *protocol.ChooseParityResponse) {
			m.Proof.Head = ""
		}, "proof.signature: it is not of this answer"},
		"a head that is none": {func(m *protocol.ChooseParityResponse) {
			m.Proof.Head = "AB"
		}, "proof.head: want the newest head"},
		"another signature": {func(m *protocol.ChooseParityResponse) {
			m.Proof.Signature = strings.Repeat("00", 64)
		}, "proof.signature: it is not of this answer"},
		"of another league": {func(m *protocol.ChooseParityResponse) {
			w := newPen("P01")
			w.bout.Seal = strings.Repeat("00", 32)
			w.chain = w.bout.NewChain()
			m.Proof = w.sign(0, "", m.ParityChoice)
		}, "proof.signature: it is not of this answer"},
		"by another player": {func(m *protocol.ChooseParityResponse) {
			m.Proof = newPen("P02").sign(0, "", m.ParityChoice)
		}, "proof.signature: it is not of this answer"},
		"too long": {func(m *protocol.ChooseParityResponse) {
			m.ParityChoice = quoted(strings.Repeat("x", 3000))
			m.Proof = newPen("P01").sign(0, "", m.ParityChoice)
		}, "proof.move: want at most"},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				p := h.players["P01"]
				p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
					m := p.parity(quoted("even"))
					m.Proof = newPen("P01").sign(0, "", m.ParityChoice)
					if len(h.heardBy("P01", protocol.TypeChooseParityCall)) == 1 {
						tt.spoil(m)
					}
					return m, nil
				}
				h.players["P02"].signs(`"odd"`)
				h.play(nativeOrder())
				e := as[protocol.GameError](t, h.heardBy("P01", protocol.TypeGameError)[0])
				if detail := fmt.Sprint(e.Context["detail"]); e.ErrorCode != "E004" || !strings.HasPrefix(detail, tt.want) {
					t.Errorf("got %s %q, want E004 %q", e.ErrorCode, detail, tt.want)
				}
				rec, _ := h.record()
				h.checkSigned(rec, "P01", `"even"`) // the second, right one
				if len(rec.Result.Forfeits) != 0 {
					t.Errorf("forfeits %v", rec.Result.Forfeits)
				}
			})
		})
	}
}

func TestHeadStaysTheSameInAMatch(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		w, n := newPen("P01"), 0
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			m := p.parity(quoted(map[bool]string{true: "banana", false: "even"}[n == 0]))
			if n++; n == 2 {
				other := *w
				m.Proof = other.sign(0, "", m.ParityChoice)
				m.Proof.Head = strings.Repeat("cd", 32)
				return m, nil
			}
			m.Proof = w.sign(0, "", m.ParityChoice)
			return m, nil
		}
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		e := as[protocol.GameError](t, h.heardBy("P01", protocol.TypeGameError)[1])
		if !strings.Contains(fmt.Sprint(e.Context["detail"]), "stays the same in a match") {
			t.Errorf("got %v", e.Context)
		}
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"banana"`, `"even"`)
	})
}

// A player that never signs forfeits, but not for an illegal move: that would need its signature.
func TestPlayerThatDoesNotSignForfeits(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P02"].signs(`"odd"`)
		h.play(nativeOrder())
		rec, _ := h.record()
		if got := rec.Result.Forfeits["P01"]; got != "E003" {
			t.Errorf("it forfeits with %q, want E003", got)
		}
		h.checkSigned(rec, "P01")
		h.checkSigned(rec, "P02", `"odd"`)
	})
}

func TestNothingIsDemandedWithoutASealOrAKey(t *testing.T) {
	for name, edit := range map[string]func(m *protocol.StartMatch){
		"no seal": func(m *protocol.StartMatch) { m.Seal = "" },
		"no key":  func(m *protocol.StartMatch) { m.PlayerA.PublicKey, m.PlayerB.PublicKey = "", "" },
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.players["P01"].signs(`"even"`) // one signs all the same
				m := nativeOrder()
				edit(m)
				h.play(m)
				rec, doc := h.record()
				if rec.Signed != nil || strings.Contains(string(doc), `"signed"`) || len(rec.Result.Forfeits) != 0 {
					t.Errorf("got %s, want nothing signed", shown(rec))
				}
			})
		})
	}
}

func TestNothingShowsAProofBeforeTheEnd(t *testing.T) {
	d := &diary{}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		d.h = h
		h.players["P01"].signs(`"even"`)
		secret := newPen("P01").sign(0, "", quoted("even")).Signature
		muteChoice(h.players["P02"])
		if _, err := h.start(nativeOrder()); err != nil {
			t.Error(err)
		}
		for range 60 {
			pass(time.Second)
			for _, tool := range stateTools {
				if answer := h.ask(tool, `{"match_id":"R1M1"}`); strings.Contains(answer, secret) ||
					strings.Contains(answer, "proof") {
					t.Errorf("%s tells %s", tool, answer)
				}
			}
		}
		if s := h.state("R1M1"); !s.Players[0].Answered {
			t.Fatalf("state: got %s, want P01 to have answered", shown(s))
		}
		if strings.Contains(h.logged(), secret) {
			t.Error("the log shows the signature")
		}
		for _, e := range h.sentTo("") {
			if strings.Contains(string(e.body), secret) {
				t.Errorf("a message to %s shows the signature: %s", e.to, e.body)
			}
		}
		if got := h.sentTo("disk"); len(got) != 0 {
			t.Error("the match is on disk before its end")
		}
		h.referee.Wait()
		rec, _ := h.record()
		h.checkSigned(rec, "P01", `"even"`)
	})
}
