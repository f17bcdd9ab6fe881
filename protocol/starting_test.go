package protocol

import (
	"testing"
	"time"
)

func TestStartingNamesTheConditionAndWhoHasJoined(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.Local)
	later, tomorrow, before := Stamp(now.Add(2*time.Hour)), Stamp(now.Add(26*time.Hour)), Stamp(now.Add(-time.Second))
	const missing = "1 of at least 2 players have registered and can be reached"
	for want, s := range map[string]LeagueStatus{
		"starts automatically when all 30 players have joined; 28 of 30": {Players: 28, PlayersWanted: 30, Referees: 1,
			RefereesWanted: 1, StartsByNumber: true},
		"starts automatically when all 4 players have joined; 4 of 4, 1 cannot be reached (`league status` names them; " +
			"`league start` starts without them)": {Players: 4, PlayersWanted: 4, Referees: 1, RefereesWanted: 1,
			StartsByNumber: true, Unreachable: 1},
		"starts automatically when all 4 players and 1 referee have joined; 4 of 4 players, 0 of 1 referee": {Players: 4,
			PlayersWanted: 4, RefereesWanted: 1, StartsByNumber: true},
		"starts automatically when all 4 players have joined, or at 14:00; 2 of 4": {Players: 2, PlayersWanted: 4,
			Referees: 2, RefereesWanted: 1, StartsByNumber: true, StartsAt: later},
		"starts automatically at 14:00; 3 players, 1 referee": {Players: 3, PlayersWanted: 2, Referees: 1,
			RefereesWanted: 1, StartsAt: later},
		"starts automatically at 14:00 on 19 November; 1 of at least 2 players, 0 of at least 1 referee": {Players: 1,
			PlayersWanted: 2, RefereesWanted: 1, StartsAt: tomorrow, Missing: missing},
		"starts automatically as soon as enough agents have joined: " + missing: {Players: 1, PlayersWanted: 2,
			Referees: 1, RefereesWanted: 1, StartsAt: before, Missing: missing},
		"starts when the organizer types `league start`; 3 players, 1 referee": {Players: 3, PlayersWanted: 2, Referees: 1,
			RefereesWanted: 1},
		"cannot start yet: " + missing: {Players: 2, PlayersWanted: 2, Referees: 1, RefereesWanted: 1, Missing: missing},
		"is paused and does not start automatically before it is resumed; 1 of at least 2 players, 1 referee": {Players: 1, PlayersWanted: 2,
			Referees: 1, RefereesWanted: 1, StartsAt: later, Paused: true},
		"2 players, 1 referee": {Players: 2, Referees: 1},
	} {
		if got := s.Starting(now); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestTheNextRoundIsCountedDown(t *testing.T) {
	now := time.Date(2026, 11, 18, 13, 0, 0, 0, time.Local)
	for next, want := range map[time.Time]string{
		now.Add(10 * time.Minute): "the next at 13:10 10m0s", now.Add(65 * time.Second): "the next at 13:01:05 1m5s",
		now.Add(24 * time.Hour): "the next at 13:00 on 19 November 24h0m0s", now: " 0s",
	} {
		at, left := LeagueStatus{NextRoundAt: next.Format(time.RFC3339)}.NextRound(now)
		if got := at + " " + left.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
