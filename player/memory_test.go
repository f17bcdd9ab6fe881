package player_test

import (
	"fmt"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
)

// A player with a limited history keeps and stores its newest matches alone, including those of earlier runs.
func TestOnlyTheNewestMatchesAreRemembered(t *testing.T) {
	var stored player.Past
	o := player.Options{
		MaxHistory: 2,
		Recall: func(string) (player.Past, error) {
			return player.Past{
				Matches: []protocol.PlayerMatch{{MatchID: "R1M1", Result: protocol.Loss}, {MatchID: "R2M1"}, {MatchID: "R3M1"}},
				Dropped: protocol.PlayerStats{TotalMatches: 3, Draws: 3},
			}, nil
		},
		Remember: func(_ string, h player.Past) error { stored = h; return nil },
	}
	atTable(t, player.Alternate(), o, true, func(w *table) {
		if got := matchIDs(w.agent.History()); got != "[R2M1 R3M1]" {
			t.Errorf("recalled %s, want the two newest", got)
		}
		for _, id := range []string{"R4M1", "R5M1"} {
			if err := w.invite(id, 1, w.matchToken(id, 1)); err != nil {
				t.Fatal(err)
			}
			if err := w.over(id, 1, w.matchToken(id, 1), protocol.Win, 8); err != nil {
				t.Fatal(err)
			}
		}
		if got := matchIDs(stored.Matches); got != "[R4M1 R5M1]" {
			t.Errorf("stored %s, want the two newest", got)
		}
		if got, want := stored.Stats(), (protocol.PlayerStats{TotalMatches: 8, Wins: 2, Losses: 1, Draws: 3}); got != want {
			t.Errorf("the totals are %+v, want %+v: they count the matches that were removed too", got, want)
		}
	})
}

func matchIDs(past []protocol.PlayerMatch) string {
	var ids []string
	for _, m := range past {
		ids = append(ids, m.MatchID)
	}
	return fmt.Sprint(ids)
}

func TestAPlayerThatDeclinesAcceptsNoInvitation(t *testing.T) {
	for _, declines := range []bool{false, true} {
		atTable(t, player.Alternate(), player.Options{Declines: declines}, true, func(w *table) {
			reply, err := w.from(w.referee, &protocol.GameInvitation{
				Envelope: protocol.Envelope{
					MessageType: protocol.TypeGameInvitation, MatchID: "R1M1", AuthToken: w.matchToken("R1M1", 1), LeagueID: "L", RoundID: 1,
				},
				GameType: "even_odd", OpponentID: "P02", Attempt: 1,
			})
			if ack, ok := reply.(*protocol.GameJoinAck); err != nil || !ok || ack.Accepts() == declines {
				t.Errorf("declines %v: got %+v, %v", declines, reply, err)
			}
		})
	}
}
