package verify

import (
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// The clock of the machine was set back by a year while the league was played. The times of the log never decrease, but
// those of the players and of the referees did.
func TestHistoryIsRightAfterTheClockWasSetBack(t *testing.T) {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ended := began.AddDate(-1, 0, 0)
	s := &league.State{CreatedAt: began, Created: league.Created{GameType: "even_odd"}}
	s.Matches = map[string]*league.Match{"R1M1": {ID: "R1M1", Round: 1, A: "P01", B: "P02", EndedAt: began.Add(time.Minute),
		Outcome: &league.ResultRecorded{Match: "R1M1", Attempt: 1, Result: league.Result{Status: protocol.Draw}}}}
	completed := func(string) time.Time { return ended }
	for at, right := range map[time.Time]bool{
		ended.Add(-2 * time.Second): true, ended.Add(time.Second): true, began: true, ended.AddDate(0, 0, -1): false,
	} {
		told := []protocol.PlayerMatch{{MatchID: "R1M1", Timestamp: protocol.Stamp(at), OpponentID: "P02", Attempt: 1}}
		if got := derived(s, told, "P01", false, completed); len(got) != 1 || (got[0].Timestamp == told[0].Timestamp) != right {
			t.Errorf("%v: got %+v, want the time kept: %v", at, got, right)
		}
	}
}
