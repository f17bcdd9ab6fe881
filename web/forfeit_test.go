package web

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web/advice"
	"agentleague/web/webtest"
)

// openForfeit opens a league with two players, of which the first could not be reached in R1M1: four errors of one
// kind.
func openForfeit(t *testing.T) *fakeLeague {
	t.Helper()
	rec := played("even_odd", "R1M1", "P01", "P02")
	rec.Transcript, rec.Tries, rec.Moves = rec.Transcript[:4], rec.Tries[:2], nil
	rec.Result = protocol.GameResult{Status: protocol.TechnicalLoss, WinnerPlayerID: rec.Result.WinnerPlayerID,
		Reason: "P01 forfeited: CONNECTION_ERROR", Forfeits: map[string]string{"P01": "E009"}}
	add := func(typ protocol.Type, message string) {
		rec.Transcript = append(rec.Transcript, protocol.TranscriptEntry{
			Seq: len(rec.Transcript) + 1, Timestamp: "2026-01-02T03:04:06Z", MessageType: typ, From: "referee:REF01",
			To: "player:P01", Message: []byte(message),
		})
	}
	for n := range 4 {
		add(protocol.TypeChooseParityCall, `{"message_type":"CHOOSE_PARITY_CALL"}`)
		add(protocol.TypeGameError, fmt.Sprintf(`{"message_type":"GAME_ERROR","error_code":"E009",
			"error_name":"CONNECTION_ERROR","retry_count":%d,
			"context":{"detail":"http://127.0.0.1:1/mcp gave no answer: dial tcp 127.0.0.1:1: connection refused"}}`, n))
		rec.Tries = append(rec.Tries, protocol.Try{
			Stage: 2, PlayerID: "P01", Asked: protocol.TypeChooseParityCall,
			SentAt:  fmt.Sprintf("2026-01-02T03:04:%02d.000Z", 6+n),
			AgentMS: 3, Outcome: "E009",
		})
	}
	h := &fakeLeague{records: map[string]protocol.MatchRecord{"R1M1": rec}}
	over := outcomeOf(rec)
	over.Result.Forfeits = rec.Result.Forfeits
	h.m = openLog(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), []league.Event{
		league.Created{Schema: 1, LeagueID: fakeLeagueID, GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
			Tiebreakers: league.Tiebreakers, DrawCommitment: strings.Repeat("c0", 32)},
		registered(protocol.RoleReferee, 1, "Referee Alpha"), registered(protocol.RolePlayer, 1, "Ada Lovelace"),
		registered(protocol.RolePlayer, 2, "Ben"), league.Started{Players: []string{"P01", "P02"}},
		league.RoundOpened{Round: 1}, league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1}, over,
		league.AgentState{ID: "P01", State: protocol.AgentSuspended, Why: "http://127.0.0.1:1/mcp gave no answer"},
	})
	return h
}

// An error that was made four times is explained once, and in words.
func TestErrorsOfAMatchAreToldOnceAndInWords(t *testing.T) {
	t.Parallel()
	text := openForfeit(t).caller(t, nil).page("/leagues/fake/matches/R1M1")
	for want, times := range map[string]int{
		html.EscapeString(advice.On(protocol.EvenOdd, protocol.Connection.Name).Fix):  1,
		html.EscapeString(advice.On(protocol.EvenOdd, protocol.Connection.Name).Says): 1,
		"failed with": 0, "the same again": 3,
		"gave no answer: dial": 0, "its endpoint gave no answer: connection refused": 2 + 4, // with the result, at the first error, in four messages
		"lost by forfeit: <bdi>its endpoint gave no answer: connection refused</bdi>": 1, "P01 forfeited: CONNECTION_ERROR</p>": 0, `data-forfeit="P01"`: 1,
	} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%q is on the page %d times, want %d", want, got, times)
		}
	}
}

// Only the admin sees the addresses of agents, also in errors.
func TestErrorsDoNotTellWhereAgentsAre(t *testing.T) {
	t.Parallel()
	v := openForfeit(t).caller(t, nil)
	for _, page := range []string{"/matches/R1M1", "/players/P01", "/agents", "/run", ""} {
		for _, at := range []string{"/leagues/fake" + page, api + "/leagues/fake" + page} {
			if text := v.page(at); strings.Contains(text, "127.0.0.1") {
				t.Errorf("%s says where an agent is: …%s", at, text[max(0, strings.Index(text, "127.0.0.1")-100):][:200])
			}
		}
	}
	v.login()
	if text := v.page("/leagues/fake/agents"); !strings.Contains(text, "http://127.0.0.1:1/mcp") {
		t.Error("the admin is not told where an agent is")
	}
}

// On a phone the reason of a forfeit is as wide as its card; hashes are shown on demand.
func TestAForfeitOnAPhone(t *testing.T) {
	t.Parallel()
	at := openForfeit(t).serve(t, nil)
	tab := webtest.Start(t).Tab(t, webtest.Phone)
	tab.Open(at + "/matches/R1M1")
	share := webtest.Get[float64](tab,
		`document.querySelector(".forfeit").clientWidth / document.querySelector(".arena").clientWidth`)
	if share < .85 {
		t.Errorf("the reason of the forfeit is %.2f of its card", share)
	}
	hash := `[...document.querySelectorAll("code")].filter((e) => e.checkVisibility() && /^[0-9a-f]{32}/.test(e.textContent)).length`
	if n := webtest.Get[int](tab, hash); n != 0 {
		t.Errorf("%d hashes are shown to who did not ask", n)
	}
	tab.Shot("forfeit")
	if !webtest.Get[bool](tab, narrow) {
		t.Error("the page is wider than the phone")
	}
	tab.Click("#tab-evidence")
	tab.Click(".hashes summary")
	tab.Await("the hashes", hash+" >= 3")
	tab.Open(at)
	if n := webtest.Get[int](tab, hash); n != 0 {
		t.Errorf("%d hashes are on the live page", n)
	}
	tab.Click(".noted summary")
	tab.Await("the seal", hash+" > 0")
}
