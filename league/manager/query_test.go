package manager_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

func TestQueriesOfALeague(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2, Pace: time.Hour}, func(w *world) {
		w.bootAll(2, 4)
		w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
		token, state := w.token("P01"), w.state()
		lookUp := func(kind string, p protocol.QueryParams, member string, into any) {
			t.Helper()
			w.data(protocol.TypeLeagueQuery, "player:P01", token, kind, p, member, into)
		}

		// the table, whole and in parts
		full := state.Standings()
		for _, c := range []struct{ offset, limit, from, to int }{
			{0, 0, 0, 4}, {1, 2, 1, 3}, {3, 9, 3, 4}, {9, 1, 4, 4}, {-5, -5, 0, 4}, {1<<63 - 1, 1<<63 - 1, 4, 4},
			{1, 1<<63 - 1, 1, 4},
		} {
			a, err := w.query(protocol.TypeLeagueQuery, "player:P01", token, protocol.QueryStandings,
				protocol.QueryParams{Offset: c.offset, Limit: c.limit})
			if err != nil || !slices.Equal(a.Standings, full[c.from:c.to]) || *a.CurrentRound != 1 {
				t.Errorf("%+v: got %+v, %v", c, a, err)
			}
			var total int
			lookUp(protocol.QueryStandings, protocol.QueryParams{Offset: c.offset, Limit: c.limit}, "total", &total)
			if total != 4 {
				t.Errorf("%+v: got a total of %d", c, total)
			}
		}

		// the schedule, whole and in parts
		for _, c := range []struct {
			p    protocol.QueryParams
			want []int
		}{
			{protocol.QueryParams{}, []int{1, 2, 3}},
			{protocol.QueryParams{Offset: 1}, []int{2, 3}},
			{protocol.QueryParams{Offset: 1, Limit: 1}, []int{2}},
			{protocol.QueryParams{RoundID: 2}, []int{2}},
			{protocol.QueryParams{RoundID: 3, Limit: 1}, []int{3}},
			{protocol.QueryParams{RoundID: 4}, nil},
			{protocol.QueryParams{RoundID: 1<<63 - 1}, nil},
			{protocol.QueryParams{Offset: 1<<63 - 1}, nil},
			{protocol.QueryParams{Offset: -1, Limit: 1<<63 - 1}, []int{1, 2, 3}},
		} {
			var rounds []protocol.ScheduledRound
			lookUp(protocol.QuerySchedule, c.p, "schedule", &rounds)
			var got []int
			for _, r := range rounds {
				got = append(got, r.RoundID)
				for i, m := range r.Matches {
					pair, _ := state.Schedule.Match(r.RoundID, i+1)
					if m.PlayerAID != pair.A || m.PlayerBID != pair.B || m.MatchID != protocol.MatchID(r.RoundID, i+1) {
						t.Errorf("got %+v, want %v", m, pair)
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v: got rounds %v, want %v", c.p, got, c.want)
			}
		}
		var rounds []protocol.ScheduledRound
		lookUp(protocol.QuerySchedule, protocol.QueryParams{}, "schedule", &rounds)
		first, last := rounds[0].Matches[0], rounds[2].Matches[0]
		if want := state.Matches["R1M1"].Outcome.Result.Status; first.Status != want || first.RefereeEndpoint == nil ||
			last.Status != "SCHEDULED" || last.RefereeEndpoint != nil {
			t.Errorf("got %+v and %+v", first, last)
		}

		// a player's own affairs
		var next *protocol.NextMatch
		lookUp(protocol.QueryNextMatch, protocol.QueryParams{}, "next_match", &next)
		if next == nil || next.MatchID != "R2M1" || next.OpponentID != "P03" || next.RoundID != 2 ||
			next.RefereeEndpoint != nil {
			t.Errorf("got %+v", next)
		}
		lookUp(protocol.QueryNextMatch, protocol.QueryParams{PlayerID: "P04"}, "next_match", &next)
		if next == nil || next.MatchID != "R2M2" || next.OpponentID != "P02" {
			t.Errorf("got %+v", next)
		}
		var row protocol.Standing
		lookUp(protocol.QueryPlayerStats, protocol.QueryParams{PlayerID: "P02"}, "player_stats", &row)
		if !slices.Contains(full, row) || row.PlayerID != "P02" {
			t.Errorf("got %+v", row)
		}

		// the league
		s := w.status()
		want := protocol.LeagueStatus{
			GameType: "even_odd", State: protocol.RunningLeague, CurrentRound: 1, TotalRounds: 3, MatchesCompleted: 2,
			TotalMatches: 6, Players: 4, Referees: 2,
			DrawCommitment: state.Created.DrawCommitment, Seal: state.Seal, LogHead: state.Head().Hash,
			Results: protocol.Basis{Proven: 2},
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("got %+v\nwant %+v", s, want)
		}
		a, err := w.query(protocol.TypeGetStandings, "player:nobody", "", "", protocol.QueryParams{})
		if err != nil || !slices.Equal(a.Standings, full) {
			t.Errorf("get_standings: got %+v, %v", a, err)
		}
		reply, err := w.call("player:P01", token, &protocol.LeagueQuery{
			Envelope: protocol.Envelope{MessageType: protocol.TypeQueryStandingsRequest, ConversationID: "c"},
		})
		if a, ok := reply.(*protocol.LeagueQueryResponse); err != nil || !ok ||
			a.MessageType != protocol.TypeQueryStandingsResponse || len(a.Standings) != 4 {
			t.Errorf("QUERY_STANDINGS_REQUEST: got %+v, %v", reply, err)
		}

		// a player that has left has no next match
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P01"); err != nil {
			t.Error(err)
		}
		lookUp(protocol.QueryNextMatch, protocol.QueryParams{}, "next_match", &next)
		if next != nil {
			t.Errorf("got %+v", next)
		}
	})
}

// A query of the protocol's table without an answer here fails this test.
func TestEveryQueryOfTheProtocolIsAnswered(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		for _, q := range protocol.Queries() {
			a, err := w.query(protocol.TypeLeagueQuery, "admin", adminToken, q.Name, protocol.QueryParams{PlayerID: "P01"})
			if err != nil || a.QueryType != q.Name || a.Success != (a.Error == nil) {
				t.Errorf("%s: got %+v and %v, want an answer", q.Name, a, err)
			}
			_, err = w.query(protocol.TypeLeagueQuery, "player:P01", w.token("P01"), q.Name, protocol.QueryParams{})
			if refused := strings.HasPrefix(refusal(err), "AUTH_TOKEN_INVALID"); refused != q.Addresses {
				t.Errorf("%s of a player: got %v, want a refusal: %v", q.Name, err, q.Addresses)
			}
		}
	})
}

func TestQueriesWithoutAnAnswer(t *testing.T) {
	inWorld(t, 2, rpctest.Faults{}, manager.Options{Window: -1}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		token := w.token("P01")
		referee := w.referees["REF01"].Granted().Token
		for _, c := range []struct {
			kind, player, want string
		}{
			{protocol.QuerySchedule, "", "E030"}, {protocol.QueryNextMatch, "", "E030"},
			{protocol.QueryNextMatch, "P77", "E005"},
			{protocol.QueryPlayerStats, "REF01", "E005"}, {protocol.QueryPlayerStats, "P77", "E005"},
		} {
			a, err := w.query(protocol.TypeLeagueQuery, "player:P01", token, c.kind, protocol.QueryParams{PlayerID: c.player})
			if err != nil || a.Success || string(a.Data) != "null" || a.Error == nil || a.Error.ErrorCode != c.want ||
				a.Error.ErrorDescription == "" {
				t.Errorf("%s of %q: got %+v, %v, want %s", c.kind, c.player, a, err, c.want)
			}
		}
		for _, c := range []struct {
			sender, token, kind, want string
		}{
			{"player:P01", "", protocol.QueryStandings, "AUTH_TOKEN_MISSING 6001"},
			{"player:P01", referee, protocol.QueryStandings, "AUTH_TOKEN_INVALID 6001"},
			{"player:P02", token, protocol.QueryStandings, "AUTH_TOKEN_INVALID 6001"},
			{"player:P77", token, protocol.QueryStandings, "AUTH_TOKEN_INVALID 6001"},
			{"player:P77", "tok_player_P77_x", protocol.QueryStandings, "PLAYER_NOT_REGISTERED 3002"},
			{"referee:P01", "tok_referee_P01_x", protocol.QueryStandings, "REFEREE_NOT_REGISTERED 5001"},
			{"player:P01", token, "GET_RICH", "UNKNOWN_QUERY 6002"},
			{"player:P01", token, strings.Repeat("é", 5_000), "UNKNOWN_QUERY 6002"},
			{"player:P01", token, protocol.QueryPlayerDirectory, "AUTH_TOKEN_INVALID 6001"},
			{"referee:REF01", referee, protocol.QueryNextMatch, "MISSING_REQUIRED_FIELD -32602"},
			{"admin", "wrong", protocol.QueryPlayerDirectory, "AUTH_TOKEN_INVALID 6001"},
		} {
			if _, err := w.query(protocol.TypeLeagueQuery, c.sender, c.token, c.kind, protocol.QueryParams{}); refusal(
				err) != c.want {
				t.Errorf("%s asks %.20s: got %v, want %s", c.sender, c.kind, err, c.want)
			}
		}
		for _, c := range [][2]string{{"referee:REF01", referee}, {"admin", adminToken}} {
			var players map[string]string
			w.data(protocol.TypeLeagueQuery, c[0], c[1], protocol.QueryPlayerDirectory, protocol.QueryParams{},
				"players", &players)
			if len(players) != 2 || players["P02"] != "http://localhost:8102/mcp" {
				t.Errorf("%s was told %v", c[0], players)
			}
		}
		_, err := w.call("player:P01", token, &protocol.LeagueQuery{
			Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueQuery, ConversationID: "c", LeagueID: "another"},
			QueryType: protocol.QueryStatus,
		})
		if refusal(err) != "UNKNOWN_LEAGUE 6003" {
			t.Errorf("another league: got %v", err)
		}
	})
}

func TestLargeAnswersAreCut(t *testing.T) {
	inWorld(t, 3, rpctest.Faults{}, manager.Options{Window: -1, MinPlayers: 2}, func(w *world) {
		w.bootManager()
		for n := range 120 { // 119 rounds of 60 matches
			w.apply("player:"+protocol.AgentID(protocol.RolePlayer, n+1), "", "c",
				named(fmt.Sprint("p", n), fmt.Sprintf("http://localhost:%d/mcp", 20_000+n)))
		}
		reply, err := w.call("admin", adminToken, &protocol.Tool{
			Envelope: protocol.Envelope{MessageType: protocol.TypeCreateSchedule, ConversationID: "c"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Schedule []protocol.ScheduledRound `json:"schedule"`
		}
		if err := json.Unmarshal(reply.(*protocol.LeagueQueryResponse).Data, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Schedule) != 4000/60 || len(got.Schedule[0].Matches) != 60 {
			t.Errorf("got %d rounds", len(got.Schedule))
		}
	})
}

func TestTicketExpiresWhenNotUsed(t *testing.T) {
	inWorld(t, 4, rpctest.Faults{}, manager.Options{Window: -1, TokenTTL: time.Hour}, func(w *world) {
		w.bootManager()
		foreign := named("Agent P01", "http://localhost:8101/mcp")
		token := *w.apply("player:P01", "", "first", foreign).AuthToken
		try := func(token string) string {
			_, err := w.query(protocol.TypeLeagueQuery, "player:P01", token, protocol.QueryStandings, protocol.QueryParams{})
			return refusal(err)
		}
		for range 3 {
			time.Sleep(59 * time.Minute)
			if got := try(token); got != "<nil>" {
				t.Errorf("a token in use: got %s", got)
			}
		}
		time.Sleep(61 * time.Minute)
		if got := try(token); got != "AUTH_TOKEN_INVALID 6001" {
			t.Errorf("an expired token: got %s", got)
		}
		r := w.apply("player:P01", token, "again", foreign)
		if r.Status != protocol.Accepted || *r.PlayerID != "P01" || *r.AuthToken != token {
			t.Errorf("registering again: got %+v", r)
		}
		if got := try(token); got != "<nil>" {
			t.Errorf("after registering again: got %s", got)
		}
	})
}

func TestOpenDoorsNeedNoToken(t *testing.T) {
	inWorld(t, 5, rpctest.Faults{}, manager.Options{StartPlayers: 2, OpenDoors: true}, func(w *world) {
		w.bootAll(1, 2)
		time.Sleep(time.Second)
		for sender, want := range map[string]string{
			"player:P01": "<nil>", "referee:REF01": "<nil>", "player:P77": "PLAYER_NOT_REGISTERED 3002",
			"admin": "AUTH_TOKEN_MISSING 6001",
		} {
			if _, err := w.query(protocol.TypeLeagueQuery, sender, "", protocol.QueryStandings,
				protocol.QueryParams{}); refusal(err) != want {
				t.Errorf("%s: got %v, want %s", sender, err, want)
			}
		}
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}
