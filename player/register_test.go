package player_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

func TestChallengedPlayerHasItsPlaceBeforeTheAnswer(t *testing.T) {
	var kept []native.Identity
	o := player.Options{
		Identity: identity(t), KeepIdentity: func(id native.Identity) error { kept = append(kept, id); return nil },
	}
	early := errors.New("nothing was announced")
	lay := func(w *table) {
		w.ours = true
		w.beforeNow = func() { _, early = w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}) }
	}
	setTable(t, player.Alternate(), o, lay, func(w *table) {
		if early != nil {
			t.Errorf("an announcement between challenge and answer: %v", early)
		}
		if w.agent.ID() != "P01" || w.agent.Node.Sender() != "player:P01" {
			t.Errorf("the player is %s and calls itself %s, want P01", w.agent.ID(), w.agent.Node.Sender())
		}
		want := place()
		want.Pending, want.Token = true, tokenOf(t, want)
		if len(kept) != 1 || len(kept[0].Memberships) != 1 || kept[0].Memberships[0] != want {
			t.Errorf("kept %+v, want its place as P01, pending", kept)
		}
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Errorf("its referee: %v", err)
		}
	})
}

func TestEveryRegistrationIsAnotherConversation(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{}, func(w *table) {
		if err := w.agent.Register(w.ctx, office, home); err != nil {
			t.Fatal(err)
		}
		first, second := w.asked[0], w.asked[1]
		if first.ConversationID == second.ConversationID ||
			len(first.ConversationID) != len("conv-player-agent-alpha-reg-")+24 {
			t.Errorf("conversations %s and %s, want two of 96 random bits", first.ConversationID, second.ConversationID)
		}
		if first.Meta.PublicKey == "" || first.Meta.PublicKey != second.Meta.PublicKey ||
			first.Meta.AgreementKey == "" || first.Meta.AgreementKey != second.Meta.AgreementKey {
			t.Errorf("keys %+v and %+v, want the same two", first.Meta, second.Meta)
		}
		if first.AuthToken != "" || second.AuthToken != "" {
			t.Errorf("it shows %q and then %q, want nothing", first.AuthToken, second.AuthToken)
		}
	})
}

// The answer to the challenge identifies the player: a registration shows a join key at most.
func TestRegistrationShowsNothingButAJoinKey(t *testing.T) {
	for _, tt := range []struct{ name, manager, joinKey string }{
		{"the same manager", office, ""},
		{"the same manager, and an invitation", office, "key_x"},
		{"another manager", "http://localhost:8999/mcp", ""},
		{"another manager, and an invitation", "http://localhost:8999/mcp", "key_x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			who, at := identity(t), place()
			at.Manager = tt.manager
			who.Memberships = []native.Membership{at}
			atNativeTable(t, player.Alternate(), player.Options{JoinKey: tt.joinKey, Identity: who}, func(w *table) {
				if got := w.asked[0]; got.AuthToken != tt.joinKey || got.Meta.PublicKey != protocol.PublicKey(who.Key) {
					t.Errorf("it shows %q with key %q, want %q and its own", got.AuthToken, got.Meta.PublicKey, tt.joinKey)
				}
			})
		})
	}
}

func TestPlaceThatCannotBeKeptIsNotTaken(t *testing.T) {
	err := registerWith(t, player.Options{KeepIdentity: func(native.Identity) error {
		return errors.New("the disk is full")
	}}, func(w *table) {
		w.ours = true
	})
	if err == nil {
		t.Error("the player took a place that it cannot keep")
	}
}

func TestPlayerThatIsNotChallengedSaysWhyAndAsksAgain(t *testing.T) {
	var log lockedBuffer
	o := player.Options{Options: rpc.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	var asked int
	err := registerWith(t, o, func(w *table) {
		w.ours = true
		w.fake = func(*protocol.LeagueRegisterRequest) (protocol.Message, error) {
			asked++
			return accepted("P01", ticket), nil
		}
	})
	if !errors.Is(err, context.DeadlineExceeded) || asked < 5 {
		t.Errorf("asked %d times: %v, want it to ask until the test ends", asked, err)
	}
	if got := log.String(); !strings.Contains(got, "did not challenge this player at "+home) {
		t.Errorf("it logs %s, want that nobody challenged it at %s", got, home)
	}
}

func TestRefusalIsToldAsItIs(t *testing.T) {
	const why = "E022: \"Agent Alpha\" runs at http://localhost:8103/mcp; to let it in: league readmit P03 KWXM"
	err := registerWith(t, player.Options{}, func(w *table) { w.reason = why })
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v, want it to contain %q", err, why)
	}
}

// registerWith lets a player register and returns the outcome. A registration without an answer is cancelled after a
// while.
func registerWith(t *testing.T, o player.Options, lay func(w *table)) (got error) {
	t.Helper()
	layTable(t, player.Alternate(), o, lay, func(w *table, ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		got = w.agent.Register(ctx, office, home)
	})
	return got
}

func TestWhoComesBackToALeagueThatIsOverEnds(t *testing.T) {
	for _, c := range []struct {
		name       string
		ours, over bool
		ends       bool
	}{
		{"a league that goes on", true, false, false},
		{"a league that is over", true, true, true},
		{"somebody else's word", false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			setTable(t, player.Alternate(), player.Options{}, func(w *table) {
				w.ours, w.finished = c.ours, c.over
			}, func(w *table) {
				select {
				case <-w.agent.Done():
					t.Error("it does not listen to what its manager still has to say")
				default:
				}
				time.Sleep(patience)
				select {
				case <-w.agent.Done():
					if !c.ends || w.agent.Next() != "" {
						t.Errorf("it ends, and goes to %q", w.agent.Next())
					}
				default:
					if c.ends {
						t.Error("it waits for ever")
					}
				}
			})
		})
	}
}
