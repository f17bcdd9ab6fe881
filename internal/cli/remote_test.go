package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/protocol"
)

// schedulerOf returns the address of a manager with a schedule of that number of rounds. It returns two of them per
// answer, from an offset if it supports one.
func schedulerOf(t *testing.T, rounds int, offsets bool) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Params protocol.LeagueQuery
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		from := 0
		if offsets {
			from = call.Params.QueryParams.Offset
		}
		told := []protocol.ScheduledRound{}
		for round := from + 1; round <= min(from+2, rounds); round++ {
			told = append(told, protocol.ScheduledRound{RoundID: round, Matches: []protocol.ScheduledMatch{{MatchID: protocol.MatchID(round, 1)}}})
		}
		data, err := json.Marshal(map[string]any{"schedule": told, "total_rounds": rounds})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocol":"league.v2","message_type":"LEAGUE_QUERY_RESPONSE","sender":"league_manager",
			"timestamp":"2025-01-15T10:30:00Z","conversation_id":%q,"league_id":"spring","query_type":"GET_SCHEDULE","success":true,"data":%s}}`,
			call.ID, call.Params.ConversationID, data)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

func TestAScheduleIsShownWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rounds, want int
		offsets      bool
	}{{0, 0, true}, {1, 1, true}, {2, 2, true}, {5, 5, true}, {2, 2, false}, {5, 2, false}} {
		at := schedulerOf(t, c.rounds, c.offsets)
		var text, object, errs bytes.Buffer
		if err := showSchedule(t.Context(), &app{out: &text, err: &errs, root: t.TempDir(), manager: at}); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got := strings.Count(text.String(), "Round "); got != c.want {
			t.Errorf("%+v: shows %d rounds:\n%s", c, got, text.String())
		}
		if err := showSchedule(t.Context(), &app{out: &object, err: &errs, root: t.TempDir(), manager: at, json: true}); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		var got struct {
			LeagueID string `json:"league_id"`
			Schedule []protocol.ScheduledRound
		}
		if err := json.Unmarshal(object.Bytes(), &got); err != nil || got.LeagueID != "spring" || got.Schedule == nil || len(got.Schedule) != c.want {
			t.Errorf("%+v: prints %s (%v)", c, object.String(), err)
		}
		for i, round := range got.Schedule {
			if round.RoundID != i+1 {
				t.Errorf("%+v: round %d is in place %d", c, round.RoundID, i+1)
			}
		}
	}
}
