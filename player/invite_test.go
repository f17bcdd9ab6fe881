package player_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
)

// A stranger cannot take the place of a foreign referee by being first.
func TestForeignRefereeHasAPlaceOfItsOwn(t *testing.T) {
	var n atomic.Int32
	flip := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		return v.Options[int(n.Add(1))%len(v.Options)], nil
	})
	atTable(t, flip, player.Options{}, false, func(w *table) {
		for _, auth := range []string{"tok_stranger", "tok_theirs"} {
			if err := w.invite("R1M1", 1, auth); err != nil {
				t.Fatalf("%s: %v", auth, err)
			}
		}
		for _, auth := range []string{"tok_stranger", "tok_theirs", "tok_theirs"} {
			if got, err := w.choose("R1M1", 1, auth); err != nil || got != `"odd"` {
				t.Errorf("%s: choose = %s, %v; want odd for all", auth, got, err)
			}
		}
		if n.Load() != 1 {
			t.Errorf("the strategy was asked %d times, want once", n.Load())
		}
		if err := w.over("R1M1", 9, "tok_stranger", protocol.Loss, 7); err == nil {
			t.Error("the result of an attempt that nobody was invited to is taken")
		}
		if err := w.over("R1M1", 1, "tok_stranger", protocol.Loss, 7); err != nil {
			t.Fatal(err)
		}
		if got, err := w.choose("R1M1", 1, "tok_theirs"); err != nil || got != `"odd"` {
			t.Errorf("after the stranger's end: choose = %s, %v; want odd", got, err)
		}
		if err := w.over("R1M1", 1, "tok_theirs", protocol.Win, 7); err != nil {
			t.Fatal(err)
		}
		if h := w.agent.History(); len(h) != 1 || h[0].Result != protocol.Win {
			t.Errorf("history = %+v, want the newest", h)
		}
		_, err := w.choose("R1M1", 1, "tok_theirs")
		refused(t, err, protocol.MatchNotFound)
	})
}

// An attempt that a stranger invents does not outweigh the true one, and the manager's word stands.
func TestManagersWordStandsAgainstAStrangers(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		if _, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02"}}}); err != nil {
			t.Fatal(err)
		}
		for attempt, auth := range map[int]string{99: "tok_stranger", 1: "tok_theirs"} {
			if err := w.invite("R1M1", attempt, auth); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.over("R1M1", 99, "tok_stranger", protocol.Loss, 7); err != nil {
			t.Fatal(err)
		}
		if err := w.over("R1M1", 1, "tok_theirs", protocol.Win, 8); err != nil {
			t.Fatal(err)
		}
		if h := w.agent.History(); len(h) != 1 || h[0].Result != protocol.Win {
			t.Errorf("history = %+v, want the win", h)
		}
		drawn := &protocol.GameOver{Result: protocol.Draw, Attempt: 1}
		drawn.MatchID = "R1M1"
		if _, err := w.tell(protocol.TypeGameOver, 1, drawn); err != nil {
			t.Fatal(err)
		}
		if err := w.invite("R1M1", 100, "tok_stranger"); err != nil {
			t.Fatal(err)
		}
		if err := w.over("R1M1", 100, "tok_stranger", protocol.Loss, 7); err != nil {
			t.Fatal(err)
		}
		if h := w.agent.History(); len(h) != 1 || h[0].Result != protocol.Draw {
			t.Errorf("history = %+v, want what the manager said", h)
		}
	})
}

func TestInvitersOfOneMatchAreFew(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, false, func(w *table) {
		for n := range 8 {
			if err := w.invite("R1M1", 1+n%3, fmt.Sprint("tok_", n)); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, w.invite("R1M1", 1, "tok_ninth"), protocol.AuthTokenInvalid)
		if err := w.invite("R1M1", 1, "tok_0"); err != nil {
			t.Errorf("the first once more: %v", err)
		}
		if err := w.invite("R1M2", 1, "tok_ninth"); err != nil {
			t.Errorf("another match: %v", err)
		}
	})
}

// Strangers elsewhere cannot fill a match before its referee comes.
func TestRefereeFindsRoomWhereItWasAnnounced(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		_, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{
			{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02", RefereeID: "REF01",
				RefereeEndpoint: "http://localhost:8001/mcp"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		invite := func(auth string) error {
			_, err := w.from(w.unknownCaller, &protocol.GameInvitation{
				Envelope: protocol.Envelope{
					MessageType: protocol.TypeGameInvitation, MatchID: "R1M1", AuthToken: auth, LeagueID: "L", RoundID: 1,
				}, Attempt: 1,
			})
			return err
		}
		for n := range 8 {
			if err := invite(fmt.Sprint("tok_", n)); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, invite("tok_ninth"), protocol.AuthTokenInvalid)
		if err := w.invite("R1M1", 1, "tok_theirs"); err != nil {
			t.Errorf("the referee: %v", err)
		}
		if got, err := w.choose("R1M1", 1, "tok_theirs"); err != nil || got != `"even"` {
			t.Errorf("choose = %s, %v; want even", got, err)
		}
	})
}

// A referee with the right token is recognized as native, regardless of the announcement.
func TestNativeRefereeIsKnownInAForeignMatch(t *testing.T) {
	atNativeTable(t, player.Alternate(), player.Options{}, func(w *table) {
		if _, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02"}}}); err != nil {
			t.Fatal(err)
		}
		if err := w.invite("R1M1", 1, "tok_stranger"); err != nil {
			t.Fatal(err)
		}
		w.calls("R1M1", 1)
		if got, err := w.choose("R1M1", 1, "tok_stranger"); err != nil || got != `"even"` {
			t.Errorf("choose = %s, %v; want even", got, err)
		}
		if a, err := w.parity("R1M1", 1); err != nil || a.Proof == nil || string(a.ParityChoice) != `"even"` {
			t.Errorf("got %+v, %v; want the same choice, signed", a, err)
		}
	})
}

// A foreign referee that invites and then sends nothing does not prevent a player from leaving.
func TestStrangerDoesNotKeepAPlayerFromLeaving(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, false, func(w *table) {
		for _, auth := range []string{"tok_stranger", "tok_theirs"} {
			if err := w.invite("R1M1", 1, auth); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.over("R1M1", 1, "tok_theirs", protocol.Win, 8); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, patience)
		defer cancel()
		if w.agent.Drain(ctx); ctx.Err() != nil {
			t.Error("the player waits for the stranger")
		}
	})
}
