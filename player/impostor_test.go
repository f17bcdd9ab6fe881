package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// accepted is a forged acceptance of a registration, by an attacker that has read the league's seal.
func accepted(id, token string) *protocol.LeagueRegisterResponse {
	league := "L"
	return &protocol.LeagueRegisterResponse{PlayerID: &id, Admission: protocol.Admission{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse},
		Status:   protocol.Accepted, AuthToken: &token, LeagueID: &league, Native: true, Seal: seal,
	}}
}

// rejected is the refusal of such a one.
func rejected() *protocol.LeagueRegisterResponse {
	why := "the league is full"
	r := accepted("", "")
	r.Status, r.Reason, r.PlayerID, r.AuthToken = protocol.Rejected, &why, nil, nil
	return r
}

// seated is the identity of the player that has its place at this table, and of others.
func seated(t *testing.T, more ...native.Membership) native.Identity {
	t.Helper()
	who := identity(t)
	who.Memberships = append(more, place())
	return who
}

// A player with a grant ignores answers that its manager did not authenticate, and repeats the request.
func TestAnswersOfAnImpostorAreIgnored(t *testing.T) {
	other := protocol.Credential{Token: "tok_player_P01_other", LeagueID: "L", AgentID: "P01"}
	for _, tt := range []struct {
		name string
		fake func(r *protocol.LeagueRegisterRequest) (protocol.Message, error)
	}{
		{"ACCEPTED with a token", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			return accepted("P01", ticket), nil
		}},
		{"ACCEPTED as a third-party manager does", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			a := accepted("P01", ticket)
			a.Native = false
			return a, nil
		}},
		{"ACCEPTED without a token", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			a := accepted("P01", "")
			a.AuthToken = nil
			return a, nil
		}},
		{"ACCEPTED under another token", func(r *protocol.LeagueRegisterRequest) (protocol.Message, error) {
			r.AnswerWith(&other)
			return accepted("P01", ""), nil
		}},
		{"the league is over", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			a := accepted("P01", ticket)
			a.LeagueOver = true
			return a, nil
		}},
		{"REJECTED", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) { return rejected(), nil }},
		{"an error", func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			return nil, protocol.Errorf(protocol.AuthTokenInvalid, "nobody knows this player")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := player.Options{Identity: seated(t), LeagueID: "L"}
			layTable(t, player.Alternate(), o, func(w *table) { w.ours = true }, func(w *table, ctx context.Context) {
				w.knows("R1M1")
				w.fake = func(r *protocol.LeagueRegisterRequest) (protocol.Message, error) {
					if len(w.asked) > 2 {
						w.fake = nil // the manager is back
						return w.register(ctx, rpc.From{}, r)
					}
					return tt.fake(r)
				}
				if err := w.agent.Register(ctx, office, home); err != nil {
					t.Fatalf("register: %v", err)
				}
				if w.agreed == nil || w.agent.ID() != "P01" {
					t.Errorf("it is %s after %d registrations, want P01 of its own manager", w.agent.ID(), len(w.asked))
				}
				if _, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}); err != nil {
					t.Errorf("its manager is refused: %v", err)
				}
			})
		})
	}
}

// A manager that challenges the player in another league is its manager there, and nowhere else.
func TestPlayerGoesBackToThePlaceUnderWhichItIsCalled(t *testing.T) {
	theirs := native.NewAgreement("L", []byte("the secret of somebody else"), office)
	o := player.Options{Identity: seated(t)}
	layTable(t, player.Alternate(), o, func(w *table) { w.ours = true }, func(w *table, ctx context.Context) {
		w.fake = func(r *protocol.LeagueRegisterRequest) (protocol.Message, error) {
			as := w.newcomer(r)
			as.ID = "P09"
			answer, err := theirs.Welcome(ctx, w.manager, as)
			if err != nil {
				return nil, err
			}
			r.AnswerWith(&answer.Credential)
			return accepted("P09", ""), nil
		}
		if err := w.agent.Register(ctx, office, home); err != nil || w.agent.ID() != "P09" {
			t.Fatalf("it is %s in the other league, %v; want P09", w.agent.ID(), err)
		}
		w.token = tokenOf(t, place())
		if _, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}); err != nil {
			t.Errorf("its manager is refused: %v", err)
		}
		if w.agent.ID() != "P01" || w.agent.Node.Sender() != "player:P01" {
			t.Errorf("it is %s, called %s; want P01 again", w.agent.ID(), w.agent.Node.Sender())
		}
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Errorf("the referee of its league: %v", err)
		}
	})
}

// A referee's message makes the player the one of the place that it is made for.
func TestRefereeOfAnotherPlaceIsKnown(t *testing.T) {
	second := native.NewAgreement("M", []byte("the secret of a second league"), "http://localhost:8999/mcp")
	other := native.Membership{Manager: second.Manager, LeagueID: "M", Seal: protocol.SHA256(second.Created),
		ManagerKey: protocol.AgreementPublic(second.Key), ID: "P07", Epoch: 1}
	atNativeTable(t, player.Alternate(), player.Options{Identity: seated(t, other)}, func(w *table) {
		token := protocol.MatchToken(tokenOf(t, other), "M", "R1M1", 1, "REF01")
		if err := w.invite("R1M1", 1, token); err != nil {
			t.Errorf("the referee of the other league: %v", err)
		}
		if w.agent.ID() != "P07" {
			t.Errorf("it is %s, want P07", w.agent.ID())
		}
		if err := w.invite("R2M1", 1, w.matchToken("R2M1", 1)); err != nil || w.agent.ID() != "P01" {
			t.Errorf("the referee of its league: %v; it is %s, want P01", err, w.agent.ID())
		}
		refused(t, w.invite("R3M1", 1, "tok_match_forged"), protocol.AuthTokenInvalid)
	})
}

// A place is pending until something of the manager is authenticated under it: until then the former one counts.
func TestFormerPlaceStaysUntilTheNewOneIsAuthenticated(t *testing.T) {
	second := place()
	second.Epoch, second.Pending = 2, true
	third := native.Membership{Manager: "http://localhost:8999/mcp", LeagueID: "M", Seal: strings.Repeat("7", 64),
		ManagerKey: place().ManagerKey, ID: "P07", Epoch: 1}
	who := seated(t, third)
	who.Memberships = append(who.Memberships, second) // it was ended after its answer to the challenge
	var kept native.Identity
	o := player.Options{Identity: who, KeepIdentity: func(now native.Identity) error { kept = now; return nil }}
	layTable(t, player.Alternate(), o, func(w *table) { w.ours = true }, func(w *table, ctx context.Context) {
		w.fake = func(*protocol.LeagueRegisterRequest) (protocol.Message, error) { return rejected(), nil } // for now
		registered := make(chan error, 1)
		go func() { registered <- w.agent.Register(ctx, office, home) }()
		announce := func(as native.Membership) error {
			w.token = tokenOf(t, as)
			_, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}})
			return err
		}
		time.Sleep(patience)
		for range 2 {
			if err := announce(place()); err != nil {
				t.Errorf("under the former place: %v", err)
			}
		}
		if kept.Memberships != nil {
			t.Errorf("kept %+v before the new place is authenticated", kept.Memberships)
		}
		if err := announce(second); err != nil {
			t.Errorf("under the new place: %v", err)
		}
		refused(t, announce(place()), protocol.AuthTokenInvalid)
		now := slices.Clone(kept.Memberships)
		for i := range now {
			now[i].Token = ""
		}
		second.Pending = false
		if !slices.Equal(now, []native.Membership{third, second}) {
			t.Errorf("kept %+v, want the place of the other league and the new one", now)
		}
		w.fake, w.epoch = nil, 2
		if err := <-registered; err != nil {
			t.Error(err)
		}
	})
}

// A challenge under the true line 1 for another id, or with another epoch, does not change the player's grant.
func TestChallengeAsAnotherChangesNothing(t *testing.T) {
	for name, change := range map[string]func(*native.Newcomer){
		"another id":    func(n *native.Newcomer) { n.ID = "P02" },
		"another epoch": func(n *native.Newcomer) { n.Epoch = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			o := player.Options{Identity: seated(t)}
			lay := func(w *table) {
				w.ours = true
				w.beforeNow = func() { // after the manager's own challenge, and before its answer
					as := w.newcomer(w.asked[len(w.asked)-1])
					change(&as)
					if _, err := agreement.Welcome(w.ctx, w.manager, as); err != nil {
						t.Errorf("the challenge: %v", err)
					}
				}
			}
			setTable(t, player.Alternate(), o, lay, func(w *table) {
				if w.agent.ID() != "P01" {
					t.Errorf("it is %s, want P01", w.agent.ID())
				}
				if _, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}); err != nil {
					t.Errorf("its manager is refused: %v", err)
				}
			})
		})
	}
}

// A registration that was in progress when the player was killed is over: its challenge is refused.
func TestLateChallengeIsRefused(t *testing.T) {
	var before *protocol.LeagueRegisterRequest
	var kept native.Identity
	o := player.Options{Identity: identity(t), KeepIdentity: func(now native.Identity) error { kept = now; return nil }}
	atNativeTable(t, player.Alternate(), o, func(w *table) {
		before = w.asked[0]
		_, err := agreement.Welcome(w.ctx, w.manager, w.newcomer(before))
		if !errors.Is(err, native.ErrNotAccepted) {
			t.Errorf("after the registration: %v, want that it is refused", err)
		}
	})
	o.Identity = kept
	layTable(t, player.Alternate(), o, func(w *table) { w.ours = true }, func(w *table, ctx context.Context) {
		late := func(when string) {
			if _, err := agreement.Welcome(w.ctx, w.manager, w.newcomer(before)); !errors.Is(err, native.ErrNotAccepted) {
				t.Errorf("%s: %v, want that it is refused", when, err)
			}
		}
		w.agent.Node.Nonce(12) // a new process has other random numbers
		late("before the new process registers")
		w.beforeNow = func() { late("while it registers") }
		if err := w.agent.Register(ctx, office, home); err != nil {
			t.Error(err)
		}
		late("after it has registered")
	})
}

// An acknowledgement, an error or the answer to a query that is not authenticated is none.
func TestManagerIsHeardOnlyIfItIsAuthenticated(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t)}, func(w *table) {
		var protests, queries int
		w.manager.Handle(protocol.TypeMatchProtest, func(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
			switch protests++; protests {
			case 1:
				return &protocol.Ack{Envelope: protocol.Envelope{MessageType: protocol.TypeMatchProtestAck},
					Status: protocol.Acknowledged}, nil
			case 2:
				return nil, protocol.Errorf(protocol.MatchNotFound, "there is no such match")
			}
			return w.protested(ctx, from, m)
		})
		known := w.knows("R1M2")
		w.manager.Handle(protocol.TypeLeagueQuery, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
			queries++
			return &protocol.LeagueQueryResponse{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true,
				QueryType: m.(*protocol.LeagueQuery).QueryType,
				Data:      []byte(`{"matches":[{"match_id":"R1M2","round_id":1,"opponent_id":"P02","result":"WIN","attempt":1}]}`),
			}, nil
		})
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		w.end("R1M1", func(o *protocol.GameOver) { o.YourChoice = json.RawMessage(`"odd"`) })
		if w.protest() == nil || protests != 3 {
			t.Errorf("it protests %d times, want until the answer is its manager's", protests)
		}
		table := []protocol.Standing{{PlayerID: "P01", Played: 2}}
		if _, err := w.tell(protocol.TypeLeagueStandingsUpdate, 1, &protocol.StandingsUpdate{Standings: table}); err != nil {
			t.Error(err)
		}
		time.Sleep(patience)
		if got := w.remembers(); queries == 0 || strings.Contains(got, "R1M2") || *known != 0 {
			t.Errorf("asked %d times, it remembers %q, want nothing of R1M2", queries, got)
		}
	})
}

// The token is computed on both sides, and is in nothing that the player sends.
func TestTokenNeverLeavesThePlayer(t *testing.T) {
	o := player.Options{Identity: identity(t), JoinKey: "key_x"}
	atNativeTable(t, player.Alternate(), o, func(w *table) {
		w.knows("R1M2")
		w.calls("R1M1", 1)
		if _, err := w.parity("R1M1", 1); err != nil {
			t.Fatal(err)
		}
		w.end("R1M1", func(o *protocol.GameOver) { o.YourChoice = json.RawMessage(`"odd"`) })
		if w.protest() == nil {
			t.Error("it does not protest")
		}
		w.fake = func(r *protocol.LeagueRegisterRequest) (protocol.Message, error) {
			if len(w.asked) > 3 {
				w.fake = nil
			}
			return rejected(), nil
		}
		if err := w.agent.Register(w.ctx, office, home); err != nil { // with queries of missed matches
			t.Error(err)
		}
		if _, err := w.tell(protocol.TypeLeagueCompleted, 0, &protocol.LeagueCompleted{LogHead: "cc"}); err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		const part = 12
		secret := strings.TrimPrefix(w.token, "tok_player_P01_")
		for _, body := range w.sent {
			for at := range len(secret) - part + 1 {
				if strings.Contains(body, secret[at:at+part]) {
					t.Fatalf("%d characters of the token are in %s", part, body)
				}
			}
		}
		if len(w.sent) < 10 || !strings.Contains(strings.Join(w.sent, ""), `"auth_token":"tok_agent_P01_`) {
			t.Errorf("%d messages were seen, want those of a whole match", len(w.sent))
		}
	})
}
