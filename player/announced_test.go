package player_test

import (
	"fmt"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// announceForeign announces a round with matches of P01 under referees of other makes, each against one opponent.
func (w *table) announceForeign(round int, opponents ...string) {
	w.t.Helper()
	r := &protocol.RoundAnnouncement{}
	for n, id := range opponents {
		r.Matches = append(r.Matches, protocol.AnnouncedMatch{
			MatchID: fmt.Sprintf("R%dM%d", round, n+1), PlayerAID: "P01", PlayerBID: id, RefereeID: "REF01",
			RefereeEndpoint: "http://localhost:8001/mcp",
		})
	}
	r.Matches = append(r.Matches, protocol.AnnouncedMatch{MatchID: "R9M9", PlayerAID: "P08", PlayerBID: "P09", Native: true})
	if _, err := w.tell(protocol.TypeRoundAnnouncement, protocol.Round(round), r); err != nil {
		w.t.Error(err)
	}
}

// inviteAs invites to a match by an id of the referee's own, without a token.
func (w *table) inviteAs(n *rpc.Node, match, opponent string) error {
	_, err := w.from(n, &protocol.GameInvitation{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation, MatchID: match}, GameType: "even_odd",
		OpponentID: opponent,
	})
	return err
}

// play has the player choose in a match and receive that it won.
func (w *table) play(match string) {
	w.t.Helper()
	if got, err := w.choose(match, 1, ""); err != nil || got != `"even"` && got != `"odd"` {
		w.t.Errorf("%s: choose = %s, %v", match, got, err)
	}
	if err := w.over(match, 1, "", protocol.Win, 8); err != nil {
		w.t.Errorf("%s: %v", match, err)
	}
}

func TestRefereeWithMatchIDsOfItsOwnIsAccepted(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		refused(t, w.inviteAs(w.referee, "match_77", "P02"), protocol.AuthTokenMissing) // nothing was announced
		w.announceForeign(1, "P02")
		if err := w.inviteAs(w.referee, "match_77", "P02"); err != nil {
			t.Fatal(err)
		}
		w.play("match_77")
		if got := matchIDs(w.agent.History()); got != "[R1M1]" {
			t.Errorf("history = %s, want the match by the id that was announced", got)
		}
		w.announceForeign(2, "P03")
		if err := w.inviteAs(w.referee, "match_77", ""); err != nil { // the same id for another match
			t.Fatal(err)
		}
		w.play("match_77")
		if got := matchIDs(w.agent.History()); got != "[R1M1 R2M1]" {
			t.Errorf("history = %s, want both matches", got)
		}
	})
}

func TestInvitationUnderAnotherIDMeansTheMatchOfItsPlayers(t *testing.T) {
	for _, c := range []struct {
		name      string
		opponents []string // of the matches that are announced
		opponent  string   // that the invitation names
		want      string   // in the history; "": it is refused
	}{
		{"the only one", []string{"P02"}, "P02", "[R1M1]"},
		{"the only one, and no opponent", []string{"P02"}, "", "[R1M1]"},
		{"the only one, and a name that nobody has told", []string{"P02"}, "Beta", "[R1M1]"},
		{"the only one, and another player", []string{"P02"}, "P08", ""},
		{"the second of two", []string{"P02", "P03"}, "P03", "[R1M2]"},
		{"one of two, but which", []string{"P02", "P03"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
				w.announceForeign(1, c.opponents...)
				err := w.inviteAs(w.referee, "M1", c.opponent)
				if c.want == "" {
					refused(t, err, protocol.AuthTokenMissing)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				w.play("M1")
				if got := matchIDs(w.agent.History()); got != c.want {
					t.Errorf("history = %s, want %s", got, c.want)
				}
			})
		})
	}
}

// Foreign referees at other addresses cannot exhaust the slots of a match before a referee with its own match id
// invites.
func TestStrangersDoNotShutOutARefereeWithIDsOfItsOwn(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		w.announceForeign(1, "P02")
		for n := range 20 {
			_ = w.inviteAs(w.unknownCaller, fmt.Sprint("made-up-", n), "P02")
		}
		if err := w.inviteAs(w.referee, "match_77", "P02"); err != nil {
			t.Fatalf("the referee: %v", err)
		}
		w.play("match_77")
	})
}

func TestIDAsTheLeagueWritesThemIsNoRefereesOwn(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		w.announceForeign(1, "P02")
		refused(t, w.inviteAs(w.referee, "R2M1", "P02"), protocol.AuthTokenMissing)
	})
}

func TestNativeMatchIsNotOpenToIDsOfOthers(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		_, err := w.announce(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{
			{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02", Native: true},
		}})
		if err != nil {
			t.Fatal(err)
		}
		refused(t, w.inviteAs(w.referee, "match_77", "P02"), protocol.AuthTokenMissing)
	})
}
