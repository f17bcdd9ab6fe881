package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// openOver opens a league of one match that is over.
func openOver(t *testing.T) *fakeLeague {
	t.Helper()
	return &fakeLeague{m: openLog(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), []league.Event{
		league.Created{Schema: 1, LeagueID: fakeLeagueID, GameType: "even_odd", Cycles: 1,
			Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers, DrawCommitment: strings.Repeat("c0", 32)},
		registered(protocol.RoleReferee, 1, "Referee Alpha"), registered(protocol.RolePlayer, 1, "Ada"),
		registered(protocol.RolePlayer, 2, "Ben"), league.Started{Players: []string{"P01", "P02"}},
		league.RoundOpened{Round: 1}, league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1},
		outcomeOf(played("even_odd", "R1M1", "P01", "P02")), league.RoundClosed{Round: 1}, league.Completed{},
	})}
}

// The log names addresses: as long as a league is played it is the admin's alone.
func TestTheLogIsForEverybodyOnceALeagueIsOver(t *testing.T) {
	t.Parallel()
	const file = "/leagues/fake/export/" + archive
	packs := func(o *Options) {
		o.Archive = func(_ context.Context, _ string, w io.Writer) error {
			_, err := io.WriteString(w, "PK")
			return err
		}
	}
	h, _ := openOwned(t)
	v := h.caller(t, packs)
	if w := v.do(http.MethodGet, file, ""); w.Code != http.StatusForbidden {
		t.Errorf("while the league is played: %d %s", w.Code, w.Body)
	}
	v.do(http.MethodPost, "/login", "token=tok_admin_secret")
	if w := v.do(http.MethodGet, file, ""); w.Code != http.StatusOK || w.Body.String() != "PK" {
		t.Errorf("for the admin: %d %s", w.Code, w.Body)
	}
	over := openOver(t).caller(t, packs)
	if w := over.do(http.MethodGet, file, ""); w.Code != http.StatusOK || w.Body.String() != "PK" {
		t.Errorf("when the league is over: %d %s", w.Code, w.Body)
	}
}

// The number of concurrent downloads is limited.
func TestACrowdThatWantsTheLogIsAskedToComeAgain(t *testing.T) {
	t.Parallel()
	const file = "/leagues/fake/export/" + archive
	busy, goOn := make(chan struct{}), make(chan struct{})
	v := openOver(t).caller(t, func(o *Options) {
		o.Archive = func(context.Context, string, io.Writer) error {
			busy <- struct{}{}
			<-goOn
			return nil
		}
	})
	done := make(chan int)
	for range maxPacks {
		go func() { done <- v.do(http.MethodGet, file, "").Code }()
		<-busy
	}
	if w := v.do(http.MethodGet, file, ""); w.Code != http.StatusServiceUnavailable {
		t.Errorf("one more: %d %s", w.Code, w.Body)
	}
	close(goOn)
	for range maxPacks {
		if code := <-done; code != http.StatusOK {
			t.Errorf("one of the first: %d", code)
		}
	}
	go func() { <-busy }()
	if w := v.do(http.MethodGet, file, ""); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}
