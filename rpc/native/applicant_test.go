package native_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

const (
	applicantAt = "http://localhost:7101/mcp"
	managerAt   = "http://localhost:7000/k/key_x/mcp" // as the applicant calls it
	inProgress  = "conv-player-reg-0123456789abcdef01234567"
)

var agreement = native.NewAgreement("L", []byte("the secret of the league's tokens"), "http://localhost:7000/mcp")

// applicant is an agent that challenges reach without a network.
type applicant struct {
	*rpc.Node
	*native.Applicant
	kept []native.Identity
}

func newApplicant(t *testing.T, places ...native.Membership) *applicant {
	t.Helper()
	a := &applicant{Node: rpc.NewNode("player:P01", rpc.Options{})}
	a.Applicant = native.NewApplicant(a.Node, native.ApplicantOptions{
		Role: protocol.RolePlayer,
		Identity: native.Identity{
			Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, ed25519.SeedSize)), Memberships: places,
		},
		Keep: func(now native.Identity) error { a.kept = append(a.kept, now); return nil },
	})
	return a
}

// welcome is the challenge of the manager in the registration that is in progress.
func welcome() *protocol.Welcome {
	return &protocol.Welcome{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeWelcome, Sender: protocol.Manager,
			Timestamp: "2026-01-02T03:04:05Z", ConversationID: inProgress, LeagueID: "L",
		},
		Manager: agreement.Manager, Created: agreement.Created, ID: "P01", Epoch: 1, Endpoint: applicantAt, Nonce: "abc",
	}
}

// challenged returns the applicant's answer to a challenge.
func (a *applicant) challenged(t *testing.T, w *protocol.Welcome) string {
	t.Helper()
	text, err := protocol.Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"welcome","params":%s}`, text)
	return string(a.Answer(context.Background(), rpc.From{Addr: "127.0.0.1"}, body))
}

func placeOf(at *native.Agreement) native.Membership {
	return native.Membership{Manager: managerAt, LeagueID: at.LeagueID, Seal: protocol.SHA256(at.Created),
		ManagerKey: protocol.AgreementPublic(at.Key), ID: "P01", Epoch: 1}
}

func TestOnlyTheChallengeOfItsOwnRegistrationIsAnswered(t *testing.T) {
	t.Parallel()
	other := native.NewAgreement("L", []byte("another secret"), agreement.Manager)
	upgraded := `{"seq":1,"events":[{"kind":"LeagueCreated","event":{"league_id":"L"}}]}`
	known := placeOf(agreement)
	known.Seal, known.ID = protocol.SHA256(upgraded), "P05" // pinned when the league was upgraded
	for _, tt := range []struct {
		name   string
		change func(*protocol.Welcome)
		want   string // in the refusal; "": it is answered
	}{
		{"as it should be", func(*protocol.Welcome) {}, ""},
		{"another name of the manager's machine", func(w *protocol.Welcome) { w.Manager = "http://127.0.0.1:7000/mcp" }, ""},
		{"manager_key as in line 1", func(w *protocol.Welcome) { w.ManagerKey = protocol.AgreementPublic(agreement.Key) }, ""},
		{"a league that was upgraded", func(w *protocol.Welcome) {
			w.Created, w.ManagerKey = upgraded, protocol.AgreementPublic(agreement.Key)
		}, ""},
		{"another conversation", func(w *protocol.Welcome) { w.ConversationID += "0" }, "has not asked"},
		{"no conversation", func(w *protocol.Welcome) { w.ConversationID = "" }, "has not asked"},
		{"an older version", func(w *protocol.Welcome) { w.Created = "" }, "older version"},
		{"another port", func(w *protocol.Welcome) { w.Manager = "http://localhost:7001/mcp" }, "another manager"},
		{"another scheme", func(w *protocol.Welcome) { w.Manager = "https://localhost:7000/mcp" }, "another manager"},
		{"another machine", func(w *protocol.Welcome) { w.Manager = "http://192.0.2.1:7000/mcp" }, "another manager"},
		{"no manager", func(w *protocol.Welcome) { w.Manager = "" }, "another manager"},
		{"another endpoint", func(w *protocol.Welcome) { w.Endpoint = "http://localhost:7102/mcp" }, "registered the endpoint"},
		{"another path", func(w *protocol.Welcome) { w.Endpoint += "/" }, "registered the endpoint"},
		{"another manager_key", func(w *protocol.Welcome) { w.ManagerKey = protocol.AgreementPublic(other.Key) }, "manager_key"},
		{"a league that was upgraded, without a key", func(w *protocol.Welcome) { w.Created = upgraded }, "manager_key"},
		{"a league that was upgraded, with another key", func(w *protocol.Welcome) {
			w.Created, w.ManagerKey = upgraded, protocol.AgreementPublic(other.Key)
		}, "another key of its manager"},
		{"a key of small order", func(w *protocol.Welcome) {
			w.Created = protocol.WriteCreated("L", strings.Repeat("0", 64))
		}, "small order"},
		{"line 1 of another league", func(w *protocol.Welcome) {
			w.Created = protocol.WriteCreated("M", protocol.AgreementPublic(agreement.Key))
		}, "not in"},
		{"another league", func(w *protocol.Welcome) { w.LeagueID = "M" }, "not in"},
		{"no line 1", func(w *protocol.Welcome) { w.Created = "{}" }, "line 1"},
		{"the id of a referee", func(w *protocol.Welcome) { w.ID = "REF01" }, "id, epoch"},
		{"no id", func(w *protocol.Welcome) { w.ID = "" }, "id"},
		{"no epoch", func(w *protocol.Welcome) { w.Epoch = 0 }, "epoch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newApplicant(t, known)
			registration := a.Begin(managerAt, applicantAt, "L", inProgress)
			w := welcome()
			tt.change(w)
			got := a.challenged(t, w)
			if tt.want == "" {
				if !strings.Contains(got, `"confirm":"`) || len(a.kept) != 1 {
					t.Errorf("got %s and kept %d places, want an answer and one", got, len(a.kept))
				}
			} else if !strings.Contains(got, `"error"`) || !strings.Contains(got, tt.want) || len(a.kept) != 0 {
				t.Errorf("got %s and kept %d places, want a refusal with %q and none", got, len(a.kept), tt.want)
			}
			registration.End()
			if got := a.challenged(t, welcome()); !strings.Contains(got, "has not asked") {
				t.Errorf("after the registration: %s", got)
			}
		})
	}
}

// A challenge with another id or epoch is answered, but has no effect without the manager's authentication.
func TestPlaceOfAChallengeIsPending(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*protocol.Welcome){
		"another id": func(w *protocol.Welcome) { w.ID = "P02" }, "another epoch": func(w *protocol.Welcome) { w.Epoch = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere := placeOf(native.NewAgreement("M", []byte("a third secret"), agreement.Manager))
			a := newApplicant(t, elsewhere, placeOf(agreement))
			before, _ := a.Membership(managerAt, "L")
			registration := a.Begin(managerAt, applicantAt, "L", inProgress)
			w := welcome()
			change(w)
			if got := a.challenged(t, w); !strings.Contains(got, `"confirm":"`) {
				t.Fatalf("got %s", got)
			}
			if now, _ := a.Membership(managerAt, "L"); now != before {
				t.Errorf("the place is %+v, want %+v", now, before)
			}
			kept := a.kept[0].Memberships
			if len(kept) != 3 || kept[0].Seal != elsewhere.Seal || kept[1].Pending || !kept[2].Pending || kept[2].ID != w.ID {
				t.Errorf("kept %+v, want what it had, and the pending place", kept)
			}
			answer := &protocol.LeagueRegisterResponse{Admission: protocol.Admission{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse}, Status: protocol.Accepted,
			}}
			before.Credential().SignAnswer(answer, inProgress)
			if _, err := registration.ReadAnswer(framed(t, answer), protocol.TypeLeagueRegisterResponse, inProgress); err != nil {
				t.Fatal(err)
			}
			if p, ok := registration.Taken(); !ok || p != before {
				t.Errorf("taken %+v, %v; want the place under which the answer is authenticated", p, ok)
			}
		})
	}
}

// framed is a message as the result of an answer.
func framed(t *testing.T, m protocol.Message) []byte {
	t.Helper()
	text, err := protocol.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":%s}`, text)
}

func TestRegistrationBelievesWhatItsManagerAuthenticates(t *testing.T) {
	t.Parallel()
	answer := func() *protocol.LeagueRegisterResponse {
		return &protocol.LeagueRegisterResponse{Admission: protocol.Admission{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse}, Status: protocol.Accepted,
			Seal: protocol.SHA256(agreement.Created),
		}}
	}
	read := func(r *native.Registration, body []byte) error {
		_, err := r.ReadAnswer(body, protocol.TypeLeagueRegisterResponse, inProgress)
		return err
	}
	nobody := newApplicant(t).Begin(managerAt, applicantAt, "", inProgress)
	if err := read(nobody, framed(t, answer())); !errors.Is(err, rpc.ErrNotAgreed) {
		t.Errorf("without a place: %v, want that the answer is read as it comes", err)
	}
	a := newApplicant(t, placeOf(agreement))
	held, _ := a.Membership(managerAt, "L")
	registration := a.Begin(managerAt, applicantAt, "L", inProgress)
	signed := func(conversation string) []byte {
		m := answer()
		held.Credential().SignAnswer(m, conversation)
		return framed(t, m)
	}
	for name, body := range map[string][]byte{
		"no MAC":               framed(t, answer()),
		"another conversation": signed("conv-other"),
		"another text":         bytes.Replace(signed(inProgress), []byte("ACCEPTED"), []byte("REJECTED"), 1),
		"an error":             []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`),
		"no JSON":              []byte(`busy`),
	} {
		if err := read(registration, body); !errors.Is(err, protocol.ErrUnauthenticated) {
			t.Errorf("%s: %v, want that it is no answer", name, err)
		}
	}
	if err := read(registration, signed(inProgress)); err != nil {
		t.Errorf("its manager's: %v", err)
	}
	if p, ok := registration.Taken(); ok {
		t.Errorf("taken %+v without a challenge", p)
	}
	a.Ended(held.Seal)
	if err := read(a.Begin(managerAt, applicantAt, "", inProgress), framed(t, answer())); !errors.Is(err, rpc.ErrNotAgreed) {
		t.Errorf("after the end of its league: %v, want that any manager can be there", err)
	}
}

// The receiver of the registrations can challenge the agent in any number of leagues without affecting its grants.
func TestManyChallengesPushNoPlaceOut(t *testing.T) {
	t.Parallel()
	a := newApplicant(t, placeOf(agreement))
	a.Begin(managerAt, applicantAt, "L", inProgress)
	for n := range 40 {
		w := welcome()
		w.Created = native.NewAgreement("L", fmt.Append(nil, n), agreement.Manager).Created
		if got := a.challenged(t, w); !strings.Contains(got, `"confirm":"`) {
			t.Fatalf("challenge %d: %s", n, got)
		}
	}
	last := a.kept[len(a.kept)-1].Memberships
	if len(last) != 16 || !slices.ContainsFunc(last, func(p native.Membership) bool {
		return p.Seal == placeOf(agreement).Seal && !p.Pending
	}) {
		t.Errorf("%d places are left, want 16 and its own among them", len(last))
	}
}
