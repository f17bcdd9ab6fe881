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
	"agentleague/rpc/native"
)

const (
	tokenP01 = "tok_match_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	tokenP02 = "tok_match_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
)

func TestRefereeAgreesOnATokenWithItsManager(t *testing.T) {
	var kept []native.Identity
	o := referee.Options{Secret: bytes.Repeat([]byte{7}, 32), KeepIdentity: func(id native.Identity) error {
		kept = append(kept, id)
		return nil
	}}
	withReferee(t, setting{opts: o}, func(h *harness) {
		if g := h.referee.Granted(); g != (protocol.Grant{ID: "REF01", Token: refereeToken, League: leagueID, Seal: place().Seal, Native: true}) {
			t.Errorf("granted %+v", g)
		}
		want := place()
		want.Pending, want.Token = true, refereeToken
		if len(kept) != 1 || len(kept[0].Memberships) != 1 || kept[0].Memberships[0] != want {
			t.Fatalf("kept %+v, want its place, pending", kept)
		}
		answer := h.manager.answered
		text := answer.Signed.Text()
		if err := protocol.CheckSignature(protocol.PublicKey(kept[0].Key), text, answer.Signature); err != nil {
			t.Error(err)
		}
		if answer.Organiser != protocol.OrganiserMark(o.Secret, text) {
			t.Errorf("the organiser's mark is %q", answer.Organiser)
		}
		h.play(order())
		if r := h.report(); !strings.HasPrefix(r.AuthToken, "tok_agent_REF01_") {
			t.Errorf("it reports with %q", r.AuthToken)
		}
	})
}

func TestRefereeWithoutTheSecretMakesNoMark(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		if got := h.manager.answered.Organiser; got != "" {
			t.Errorf("got the mark %q, want none", got)
		}
	})
}

func TestEachRegistrationHasAConversationThatNobodyGuesses(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
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
			if err := protocol.CheckAgreementKey(r.Meta.AgreementKey); err != nil {
				t.Error(err)
			}
			if seen[r.ConversationID] = true; r.AuthToken != "" {
				t.Errorf("it shows %q, want nothing", r.AuthToken)
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d registrations, want 3", len(seen))
		}
	})
}

func TestRefereeIsTheSameAfterARestart(t *testing.T) {
	var kept native.Identity
	o := referee.Options{KeepIdentity: func(id native.Identity) error { kept = id; return nil }, JoinKey: "key_abc"}
	withReferee(t, setting{opts: o}, func(h *harness) {
		for _, manager := range []string{managerURL, "http://localhost:7000/mcp"} {
			h.reset()
			h.opts.Identity = kept
			h.opts.Identity.Memberships[0].Manager = manager
			if err := h.bootReferee(); err != nil {
				t.Fatal(err)
			}
			r := as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
			if r.AuthToken != "key_abc" || r.Meta.PublicKey != protocol.PublicKey(kept.Key) {
				t.Errorf("with a place at %s it shows %q and key %s, want its join key and its key", manager, r.AuthToken,
					r.Meta.PublicKey)
			}
			if g := h.referee.Granted(); g.Token != refereeToken {
				t.Errorf("granted %+v, want the token that it had", g)
			}
		}
	})
}

func TestTokenOfAChallengeCountsAtOnce(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.epoch = 2
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				answer, err := h.manager.admit(r)
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

func TestRefereeThatIsNotChallengedSaysWhyAndAsksAgain(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		n := 0
		h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			if n++; n > 3 {
				return h.manager.admit(r)
			}
			a, token := h.manager.admission(), ticket
			a.AuthToken, a.Seal = &token, sealOfLeague
			return a, nil
		}
		if err := h.bootReferee(); err != nil {
			t.Error(err)
		}
		if g := h.referee.Granted(); n != 4 || g.Token != refereeToken {
			t.Errorf("after %d registrations it holds %+v, want the fourth to count", n, g)
		}
		if !strings.Contains(h.logged(), "did not challenge this referee at "+refereeURL) {
			t.Error("the log does not say that nobody challenged it")
		}
	})
}

// A referee with a grant ignores answers that its manager did not authenticate, and repeats the request.
func TestAnswersOfAnImpostorAreIgnored(t *testing.T) {
	for name, fake := range map[string]func(*harness, *protocol.RefereeRegisterRequest) (protocol.Message, error){
		"ACCEPTED": func(h *harness, _ *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			a, token := h.manager.admission(), ticket
			a.AuthToken, a.Seal = &token, sealOfLeague
			return a, nil
		},
		"ACCEPTED as a third-party manager does": func(h *harness, _ *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			a, token := h.manager.admission(), ticket
			a.AuthToken, a.Native = &token, false
			return a, nil
		},
		"ACCEPTED under another token": func(h *harness, r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			r.AnswerWith(&protocol.Credential{Token: ticket, LeagueID: leagueID, AgentID: "REF01"})
			return h.manager.admission(), nil
		},
		"REJECTED": func(h *harness, _ *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			a, why := h.manager.admission(), "the league is full"
			a.Status, a.RefereeID, a.Reason = protocol.Rejected, nil, &why
			return a, nil
		},
		"an error": func(*harness, *protocol.RefereeRegisterRequest) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.AuthTokenInvalid, "nobody knows this referee")
		},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.opts.Identity = identity()
				h.opts.Identity.Memberships = []native.Membership{place()}
				n := 0
				h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
					if n++; n < 3 {
						return fake(h, r)
					}
					return h.manager.admit(r)
				}
				if err := h.bootReferee(); err != nil || n != 3 {
					t.Errorf("registered %d times: %v, want that the third counts", n, err)
				}
				h.play(order())
				h.report()
			})
		})
	}
}

func TestRefereeThatIsRefusedAfterAChallengeStaysWhatItWas(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		as := func(id string) func(*native.Newcomer) { return func(n *native.Newcomer) { n.ID = id } }
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				if _, err := h.manager.challenge(r, as("REF09")); err != nil {
					t.Error(err)
				}
				return h.manager.rejection(r, "that is not its signature"), nil
			}
		})
		if answer := h.ask("register_to_league", `{}`); !strings.Contains(answer, "not its signature") {
			t.Errorf("got %s", answer)
		}
		if g := h.referee.Granted(); g.ID != "REF01" || g.Token != refereeToken ||
			h.referee.Node.Sender() != "referee:REF01" {
			t.Errorf("now it is %+v, %s", g, h.referee.Node.Sender())
		}
		h.play(order())
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				answer, err := h.manager.challenge(r, as("REF09"))
				if err != nil {
					return nil, err
				}
				r.AnswerWith(&answer.Credential)
				return h.manager.admission(), nil // as REF01
			}
		})
		if err := h.bootReferee(); err == nil || !strings.Contains(err.Error(), "REF09") {
			t.Errorf("challenged as one, accepted as another: got %v", err)
		}
	})
}

func TestLateChallengeIsRefused(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.ask("register_to_league", `{}`)
		r := as[protocol.RefereeRegisterRequest](t, h.heardBy("LM", protocol.TypeRefereeRegisterRequest)[0])
		if _, err := h.manager.challenge(&r, nil); !errors.Is(err, native.ErrNotAccepted) {
			t.Errorf("after the registration: %v, want that it is refused", err)
		}
	})
}

func TestPlaceThatCannotBeKeptIsNotTaken(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.opts.KeepIdentity = func(native.Identity) error { return errors.New("disk full") }
		h.set(func() {
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				if answer, err := h.manager.challenge(r, nil); err == nil {
					t.Errorf("the challenge is answered with %+v", answer)
				}
				return nil, protocol.Errorf(protocol.EndpointNotAllowed, "no answer to the challenge")
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

// The token is computed on both sides, and is in nothing that the referee sends or logs.
func TestTokenNeverLeavesTheReferee(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order().Hide(refereeToken))
		h.ask("register_to_league", `{}`)
		h.ask("get_match_state", `{"match_id":"R1M1"}`)
		sent := h.logged()
		for _, e := range h.heardBy("") {
			sent += string(e.body)
		}
		sent += strings.Join(h.answers, "")
		const part = 12
		secret := strings.TrimPrefix(refereeToken, "tok_referee_REF01_")
		for at := range len(secret) - part + 1 {
			if i := strings.Index(sent, secret[at:at+part]); i >= 0 {
				t.Fatalf("%d characters of the token are in %s", part, sent[max(0, i-200):i+part])
			}
		}
		if !strings.Contains(sent, "tok_agent_REF01_") || !strings.Contains(sent, `"confirm"`) {
			t.Error("neither a report nor the answer to a challenge was seen")
		}
	})
}

func TestMaskedOrderIsOpenedWithTheRefereesOwnToken(t *testing.T) {
	memory := &referee.Memory{}
	withReferee(t, setting{recorder: memory}, func(h *harness) {
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
	withReferee(t, setting{}, func(h *harness) {
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
