package referee_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

const (
	sealOfLeague = "5ea1000000000000000000000000000000000000000000000000000000000000"
	tokenP01     = "tok_match_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	tokenP02     = "tok_match_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
)

// greet welcomes a referee at its endpoint.
func (m *fakeManager) greet(r *protocol.RefereeRegisterRequest, edit func(*protocol.Welcome)) (
	*protocol.WelcomeAck, error) {
	w := &protocol.Welcome{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcome, LeagueID: leagueID, ConversationID: r.ConversationID},
		Manager:  managerURL, Seal: sealOfLeague, ID: "REF01", Token: m.token,
	}
	if edit != nil {
		edit(w)
	}
	reply, err := m.node.Call(m.process.Context(), rpc.Peer{
		Endpoint: r.Meta.ContactEndpoint, Dialect: protocol.Canonical,
	}, w)
	ack, _ := reply.(*protocol.WelcomeAck)
	return ack, err
}

// welcomed admits a referee as a manager of ours does: the token is not in the answer.
func (m *fakeManager) welcomed(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
	ack, err := m.greet(r, nil)
	if err != nil {
		return nil, err
	}
	m.h.set(func() { m.welcome = ack })
	a := m.admission()
	a.AuthToken = nil
	return a, nil
}

func TestRefereeTakesItsTokenFromTheWelcome(t *testing.T) {
	var kept []rpc.Identity
	o := referee.Options{Secret: bytes.Repeat([]byte{7}, 32), KeepIdentity: func(id rpc.Identity) error {
		kept = append(kept, id)
		return nil
	}}
	withReferee(t, setting{opts: o, welcomes: true}, func(h *harness) {
		if g := h.referee.Granted(); g != (protocol.Grant{ID: "REF01", Token: refereeToken, League: leagueID, Native: true}) {
			t.Errorf("granted %+v", g)
		}
		if len(kept) != 1 || kept[0].Token != refereeToken || kept[0].Seal != sealOfLeague ||
			kept[0].Manager != managerURL || kept[0].ID != "REF01" {
			t.Fatalf("kept %+v", kept)
		}
		text := protocol.WelcomeText(managerURL, sealOfLeague, "REF01", refereeURL, h.manager.welcome.Nonce,
			protocol.SHA256(refereeToken))
		if err := protocol.CheckSignature(protocol.PublicKey(kept[0].Key), text, h.manager.welcome.Signature); err != nil {
			t.Error(err)
		}
		if got := h.manager.welcome.Organiser; got != protocol.OrganiserMark(o.Secret, text) {
			t.Errorf("the organiser's mark is %q", got)
		}
		h.play(order())
		if r := h.report(); r.AuthToken != refereeToken {
			t.Errorf("it reports with %q", r.AuthToken)
		}
	})
}

func TestRefereeWithoutTheSecretMakesNoMark(t *testing.T) {
	withReferee(t, setting{welcomes: true}, func(h *harness) {
		if got := h.manager.welcome.Organiser; got != "" {
			t.Errorf("got the mark %q, want none", got)
		}
	})
}

func TestEachRegistrationHasAConversationThatNobodyGuesses(t *testing.T) {
	withReferee(t, setting{welcomes: true}, func(h *harness) {
		for range 3 {
			h.ask("register_to_league", `{}`)
		}
		seen := map[string]bool{}
		for _, e := range h.heardBy("LM", protocol.TypeRefereeRegisterRequest) {
			r := as[protocol.RefereeRegisterRequest](t, e)
			at := strings.LastIndex(r.ConversationID, "-")
			if random, err := hex.DecodeString(r.ConversationID[at+1:]); err != nil || len(random) != 12 ||
				seen[r.ConversationID] {
				t.Errorf("conversation_id %q: want 96 fresh bits at its end", r.ConversationID)
			}
			if _, err := protocol.ParsePublicKey(r.Meta.PublicKey); err != nil {
				t.Error(err)
			}
			if seen[r.ConversationID] = true; r.AuthToken != refereeToken {
				t.Errorf("it shows %q, want the token that it has", r.AuthToken)
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d registrations, want 3", len(seen))
		}
	})
}

func TestRefereeIsTheSameAfterARestart(t *testing.T) {
	var kept rpc.Identity
	o := referee.Options{KeepIdentity: func(id rpc.Identity) error { kept = id; return nil }, JoinKey: "key_abc"}
	withReferee(t, setting{opts: o, welcomes: true}, func(h *harness) {
		first := kept
		h.reset()
		h.opts.Identity = kept
		if err := h.bootReferee(); err != nil {
			t.Fatal(err)
		}
		r := as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
		if r.AuthToken != refereeToken || r.Meta.PublicKey != protocol.PublicKey(first.Key) {
			t.Errorf("it comes back with token %q and key %s", r.AuthToken, r.Meta.PublicKey)
		}
		h.reset()
		h.opts.Identity.Manager = "http://localhost:7000/mcp" // the token is of another manager
		if err := h.bootReferee(); err != nil {
			t.Fatal(err)
		}
		r = as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
		if r.AuthToken != "key_abc" {
			t.Errorf("to another manager it shows %q, want its join key", r.AuthToken)
		}
	})
}

func TestTokenOfAWelcomeCountsAtOnce(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.token = "tok_referee_REF01_second"
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				answer, err := h.manager.welcomed(r)
				if status, err := h.start(order()); status != protocol.Accepted || err != nil { // before the answer
					t.Errorf("START_MATCH: got %q, %v, want ACCEPTED", status, err)
				}
				return answer, err
			}
		})
		if err := h.bootReferee(); err != nil {
			t.Fatal(err)
		}
		h.referee.Wait()
		h.report()
	})
}

func TestAcceptedWithoutATokenIsAnErrorInPlainWords(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
			a := h.manager.admission()
			a.AuthToken = nil
			return a, nil
		}
		err := h.bootReferee()
		if err == nil || !strings.Contains(err.Error(), "gave no token") || !strings.Contains(err.Error(), refereeURL) {
			t.Errorf("got %v, want a sentence with the address", err)
		}
	})
}

func TestTokenThatIsShownStaysWhenNothingHasChanged(t *testing.T) {
	withReferee(t, setting{welcomes: true}, func(h *harness) {
		h.set(func() {
			h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
				a := h.manager.admission()
				a.AuthToken = nil
				return a, nil
			}
		})
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, `"status":"ACCEPTED"`) {
			t.Errorf("got %s, want ACCEPTED", answer)
		}
		h.play(order())
	})
}

func TestRefereeThatIsRefusedAfterItsWelcomeStaysWhatItWas(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				if _, err := h.manager.greet(r, func(w *protocol.Welcome) {
					w.ID, w.Token = "REF09", "tok_referee_REF09_x"
				}); err != nil {
					t.Error(err)
				}
				why := "that is not its signature"
				a := h.manager.admission()
				a.Status, a.RefereeID, a.Reason, a.AuthToken = protocol.Rejected, nil, &why, nil
				return a, nil
			}
		})
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, "not its signature") {
			t.Errorf("got %s", answer)
		}
		if g := h.referee.Granted(); g.ID != "REF01" || g.Token != refereeToken ||
			h.referee.Node.Sender() != "referee:REF01" {
			t.Errorf("now it is %+v, %s", g, h.referee.Node.Sender())
		}
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				_, _ = h.manager.greet(r, func(w *protocol.Welcome) { w.ID = "REF09" })
				return h.manager.admission(), nil // as REF01
			}
		})
		if err := h.bootReferee(); err == nil || !strings.Contains(err.Error(), "REF09") {
			t.Errorf("welcomed as one, accepted as another: got %v", err)
		}
	})
}

func TestPlaceThatCannotBeKeptIsNotTaken(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.opts.KeepIdentity = func(rpc.Identity) error { return errors.New("disk full") }
		h.manager.token = "tok_referee_REF01_second"
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				if ack, err := h.manager.greet(r, nil); err == nil {
					t.Errorf("the welcome is answered with %s", shown(ack))
				}
				return nil, protocol.Errorf(protocol.EndpointNotAllowed, "no answer to the welcome")
			}
		})
		if err := h.bootReferee(); err == nil {
			t.Error("it registered")
		}
		if g := h.referee.Granted(); g.Token != "" {
			t.Errorf("it holds %q", g.Token)
		}
	})
}

func TestMaskedOrderIsOpenedWithTheRefereesOwnToken(t *testing.T) {
	memory := &referee.Memory{}
	withReferee(t, setting{welcomes: true, recorder: memory}, func(h *harness) {
		h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
			return never(h.manager.process.Context())
		}
		m := order()
		m.PlayerA.Token, m.PlayerB.Token = tokenP01, tokenP02
		hidden := m.Hide(refereeToken)
		if hidden.DrawKey == drawKey || hidden.PlayerA.Token == tokenP01 || !hidden.Masked {
			t.Fatalf("nothing is hidden in %s", shown(hidden))
		}
		if status, err := h.start(hidden); status != protocol.Accepted || err != nil {
			t.Fatalf("got %q, %v", status, err)
		}
		pass(time.Second)
		for id, token := range map[string]string{"P01": tokenP01, "P02": tokenP02} {
			if over := h.over(id); over.AuthToken != token || over.Fairness.Key != drawKey {
				t.Errorf("%s hears token %q and key %q", id, over.AuthToken, over.Fairness.Key)
			}
		}
		for f, err := range memory.Unreported(context.Background()) {
			if err != nil || f.Start.Masked || f.Start.AuthToken != "" || f.Start.PlayerA.Token != tokenP01 {
				t.Errorf("kept beside the record: %s, %v", shown(f.Start), err)
			}
		}
		h.procs["REF01"].Crash()
	})
}

func TestOrderUnderAWrongTokenIsNotOpened(t *testing.T) {
	withReferee(t, setting{welcomes: true}, func(h *harness) {
		to := rpc.Peer{Endpoint: refereeURL, Dialect: protocol.Canonical, Token: "tok_manager_forged"}
		if _, err := h.manager.node.Call(h.manager.process.Context(), to, order().Hide(refereeToken)); refusal(
			err) != "AUTH_TOKEN_INVALID" {
			t.Errorf("got %v, want AUTH_TOKEN_INVALID", err)
		}
		if got := h.sentTo(""); len(got) != 0 {
			t.Errorf("it sent %d messages", len(got))
		}
	})
}
