package player_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

func TestWelcomedPlayerHasItsPlaceBeforeTheAnswer(t *testing.T) {
	var kept []rpc.Identity
	o := player.Options{KeepIdentity: func(id rpc.Identity) error { kept = append(kept, id); return nil }}
	early := errors.New("nothing was announced")
	lay := func(w *table) {
		w.ours, w.native = true, true
		w.beforeNow = func() { _, early = w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}) }
	}
	setTable(t, player.Alternate(), o, lay, func(w *table) {
		if early != nil {
			t.Errorf("an announcement between welcome and answer: %v", early)
		}
		if w.agent.ID() != "P01" || w.agent.Node.Sender() != "player:P01" {
			t.Errorf("the player is %s and calls itself %s, want P01", w.agent.ID(), w.agent.Node.Sender())
		}
		if len(kept) != 1 || kept[0].ID != "P01" || kept[0].Token != token || kept[0].LeagueID != "L" ||
			kept[0].Seal != seal || kept[0].Manager != office {
			t.Errorf("kept %+v, want its place as P01", kept)
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
		if first.Meta.PublicKey == "" || first.Meta.PublicKey != second.Meta.PublicKey {
			t.Errorf("keys %q and %q, want one", first.Meta.PublicKey, second.Meta.PublicKey)
		}
		if first.AuthToken != "" || second.AuthToken != token {
			t.Errorf("it shows %q and then %q, want nothing and then its token", first.AuthToken, second.AuthToken)
		}
	})
}

func TestPlayerShowsItsPlaceOnlyToTheManagerThatGaveIt(t *testing.T) {
	key := identity(t).Key
	for _, tt := range []struct {
		name, manager, joinKey, want string
	}{
		{"the same manager", office, "", token},
		{"the same manager, and an invitation", office, "key_x", token},
		{"another manager", "http://localhost:8999/mcp", "", ""},
		{"another manager, and an invitation", "http://localhost:8999/mcp", "key_x", "key_x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := player.Options{
				JoinKey: tt.joinKey, Identity: rpc.Identity{
					Key: key, Manager: tt.manager, LeagueID: "L", Seal: seal, ID: "P01", Token: token,
				},
			}
			atNativeTable(t, player.Alternate(), o, func(w *table) {
				if got := w.asked[0]; got.AuthToken != tt.want || got.Meta.PublicKey != protocol.PublicKey(key) {
					t.Errorf("it shows %q with key %q, want %q and its own", got.AuthToken, got.Meta.PublicKey, tt.want)
				}
			})
		})
	}
}

func TestStrangerWelcomesNobody(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{}, func(w *table) {
		_, err := w.welcome(w.ctx, w.asked[0]) // the registration is over
		refused(t, err, protocol.OutOfTurn)
	})
}

func TestPlaceThatCannotBeKeptIsNotTaken(t *testing.T) {
	err := registerWith(t, player.Options{KeepIdentity: func(rpc.Identity) error {
		return errors.New("the disk is full")
	}}, func(w *table) {
		w.ours, w.native = true, true
	})
	if err == nil {
		t.Error("the player took a place that it cannot keep")
	}
}

func TestAcceptedWithoutTokenIsAnErrorThatSaysWhy(t *testing.T) {
	err := registerWith(t, player.Options{}, func(w *table) { w.ours, w.silent = true, true })
	if err == nil || !strings.Contains(err.Error(), "but gave no token") || !strings.Contains(err.Error(), home) {
		t.Errorf("got %v, want that no token came to %s", err, home)
	}
}

func TestRefusalIsToldAsItIs(t *testing.T) {
	const why = "E022: \"Agent Alpha\" runs at http://localhost:8103/mcp; to let it in: league readmit P03 KWXM"
	err := registerWith(t, player.Options{}, func(w *table) { w.reason = why })
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v, want it to contain %q", err, why)
	}
}

// registerWith lets a player register and returns how that went. One that is
// not answered for good gives up after a while.
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
