package player_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// knows has the manager return a match of the player that was decided while it was offline, and counts the queries.
func (w *table) knows(match string) *int {
	asked := new(int)
	w.manager.Handle(protocol.TypeLeagueQuery, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		*asked++
		q := m.(*protocol.LeagueQuery)
		if q.QueryType != protocol.QueryPlayerMatches || q.QueryParams.PlayerID != "P01" {
			w.t.Errorf("the manager is asked %+v", q)
		}
		return w.authentic(m, &protocol.LeagueQueryResponse{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true, QueryType: q.QueryType,
			Data: fmt.Appendf(nil, `{"matches":[{"match_id":%q,"round_id":1,"opponent_id":"P02","result":"TECHNICAL_LOSS","attempt":1}]}`, match),
		})
	})
	return asked
}

// remembers are the matches in the player's history, and how they ended.
func (w *table) remembers() (out string) {
	for _, m := range w.agent.History() {
		out += m.MatchID + " " + m.Result + ";"
	}
	return out
}

// A player queries its manager once if the table counts more matches of it than it has received.
func TestAMatchThatWasMissedIsRemembered(t *testing.T) {
	t.Parallel()
	atNativeTable(t, player.Alternate(), player.Options{Identity: identity(t)}, func(w *table) {
		asked := w.knows("R1M1")
		for range 2 {
			table := []protocol.Standing{{PlayerID: "P02", Played: 7}, {PlayerID: "P01", Played: 1}}
			if _, err := w.tell(protocol.TypeLeagueStandingsUpdate, 1, &protocol.StandingsUpdate{Standings: table}); err != nil {
				t.Error(err)
			}
			time.Sleep(patience) // in virtual time
		}
		if got := w.remembers(); got != "R1M1 TECHNICAL_LOSS;" || *asked != 1 {
			t.Errorf("asked %d times, it remembers %q", *asked, got)
		}
	})
}

// A player that returns queries the matches that it missed; stored ones stay unchanged.
func TestWhoComesBackAsksWhatItMissed(t *testing.T) {
	t.Parallel()
	who := identity(t)
	who.Memberships = []native.Membership{place()}
	o := player.Options{Identity: who, LeagueID: "L", Recall: func(string) (player.Past, error) {
		return player.Past{Matches: []protocol.PlayerMatch{{MatchID: "R1M1", Result: protocol.Win}}}, nil
	}}
	for match, want := range map[string]string{"R1M1": "R1M1 WIN;", "R2M1": "R1M1 WIN;R2M1 TECHNICAL_LOSS;"} {
		layTable(t, player.Alternate(), o, func(w *table) { w.ours = true }, func(w *table, ctx context.Context) {
			asked := w.knows(match)
			if err := w.agent.Register(ctx, office, home); err != nil {
				t.Error(err)
			}
			if got := w.remembers(); got != want || *asked != 1 {
				t.Errorf("asked %d times, it remembers %q, want %q", *asked, got, want)
			}
		})
	}
}
