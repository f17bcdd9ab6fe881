package protocol

import (
	"errors"
	"fmt"
	"testing"
)

// TestErrorTable is the table of the specification, row by row: the number in
// an answer to each kind of request.
func TestErrorTable(t *testing.T) {
	requests := []Type{
		TypeRefereeRegisterRequest, TypeLeagueRegisterRequest, TypeRoundAnnouncement, TypeChooseParityCall,
		TypeMatchResultReport, TypeLeagueQuery, "NONE",
	}
	every := func(n int) [7]int { return [7]int{n, n, n, n, n, n, n} }
	byRegistration := func(referee, player int) [7]int {
		return [7]int{referee, player, player, player, player, player, player}
	}
	auth := [7]int{6001, 6001, 3001, 4001, 5001, 6001, 6001}
	rows := []struct {
		kind       *Kind
		code, name string
		numeric    [7]int
		retry      bool
	}{
		{Internal, "E000", "INTERNAL_ERROR", every(-32603), false},
		{Timeout, "E001", "TIMEOUT_ERROR", every(-1), true},
		{InvalidMessage, "E002", "INVALID_MESSAGE", every(-32602), false},
		{MissingField, "E003", "MISSING_REQUIRED_FIELD", every(-32602), false},
		{InvalidChoice, "E004", "INVALID_PARITY_CHOICE", every(4004), true},
		{PlayerNotRegistered, "E005", "PLAYER_NOT_REGISTERED", [7]int{4002, 4002, 3002, 4002, 4002, 3002, 4002}, false},
		{MatchNotFound, "E006", "MATCH_NOT_FOUND", [7]int{4003, 4003, 4003, 4003, 5002, 4003, 4003}, false},
		{OutOfTurn, "E007", "OUT_OF_TURN", every(4005), false},
		{DeadlinePassed, "E008", "DEADLINE_PASSED", every(-1), false},
		{Connection, "E009", "CONNECTION_ERROR", byRegistration(1002, 2003), true},
		{RateLimited, "E010", "RATE_LIMITED", every(4290), true},
		{AuthTokenMissing, "E011", "AUTH_TOKEN_MISSING", auth, false},
		{AuthTokenInvalid, "E012", "AUTH_TOKEN_INVALID", auth, false},
		{RefereeNotRegistered, "E013", "REFEREE_NOT_REGISTERED", every(5001), false},
		{VersionMismatch, "E018", "PROTOCOL_VERSION_MISMATCH", every(-32602), false},
		{RegistrationClosed, "E019", "REGISTRATION_CLOSED", byRegistration(1001, 2001), false},
		{LeagueFull, "E020", "LEAGUE_FULL", byRegistration(1001, 2001), false},
		{InvalidTimestamp, "E021", "INVALID_TIMESTAMP", every(-32602), false},
		{DuplicateName, "E022", "DUPLICATE_NAME", every(2002), false},
		{UnsupportedGame, "E023", "UNSUPPORTED_GAME_TYPE", byRegistration(1003, 2004), false},
		{EndpointNotAllowed, "E024", "ENDPOINT_NOT_ALLOWED", byRegistration(1002, 2003), false},
		{DuplicateReport, "E025", "DUPLICATE_REPORT", every(5003), false},
		{UnknownQuery, "E026", "UNKNOWN_QUERY", every(6002), false},
		{UnknownLeague, "E026", "UNKNOWN_LEAGUE", every(6003), false},
		{LeagueNotStarted, "E030", "LEAGUE_NOT_STARTED", every(4005), false},
		{LeagueAlreadyComplete, "E031", "LEAGUE_ALREADY_COMPLETE", every(4005), false},
	}
	if len(rows) != len(Kinds) {
		t.Errorf("the table has %d rows, want %d", len(Kinds), len(rows))
	}
	for i, row := range rows {
		k := row.kind
		if Kinds[i] != k || k.Code != row.code || k.Name != row.name || k.Retryable != row.retry {
			t.Errorf("row %d: got %s %s, retry %v; want %s %s, retry %v", i, k.Code, k.Name, k.Retryable, row.code,
				row.name, row.retry)
		}
		for j, request := range requests {
			if got := k.Numeric(request); got != row.numeric[j] {
				t.Errorf("%s in an answer to %s: got %d, want %d", k.Name, request, got, row.numeric[j])
			}
		}
		if named, ok := KindNamed(k.Name); !ok || named != k {
			t.Errorf("%s is not found by its name", k.Name)
		}
	}
}

func TestErrorsOfOtherDocumentsAreKnownByName(t *testing.T) {
	for name, want := range map[string]*Kind{
		"PROTOCOL_MISMATCH": VersionMismatch, "INVALID_PROTOCOL_VERSION": VersionMismatch, "INVALID_MOVE": InvalidChoice,
		"PLAYER_DISCONNECT": Connection, "INVALID_STATE": OutOfTurn, "INVALID_FIELD_TYPE": InvalidMessage,
	} {
		if got, ok := KindNamed(name); !ok || got != want {
			t.Errorf("%s: got %v, want %s", name, got, want.Name)
		}
	}
	for _, name := range []string{"", "timeout_error", "E001", "Response not received in time"} {
		if k, ok := KindNamed(name); ok {
			t.Errorf("%q is taken for %s", name, k.Name)
		}
	}
}

func TestErrorKeepsItsKindOnTheWayUp(t *testing.T) {
	cause := Errorf(AuthTokenInvalid, "unknown token for %s", "player:P01").With("action", "LEAGUE_QUERY").With(
		"player_id", "P01")
	if got, want := cause.Error(), "E012 AUTH_TOKEN_INVALID: unknown token for player:P01"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	err := fmt.Errorf("match R1M1: %w", cause)
	if !Is(err, AuthTokenInvalid) || Is(err, AuthTokenMissing) || Is(errors.New("x"), Internal) || Is(nil, Internal) {
		t.Error("an error has another kind than its own")
	}
	if got := AsError(err); got != cause || got.Context["action"] != "LEAGUE_QUERY" || got.Context["player_id"] != "P01" {
		t.Errorf("got %v, want the cause with its context", got)
	}
}

func TestOtherErrorsAreInternalAndTellNothing(t *testing.T) {
	got := AsError(errors.New("open /secret/path: permission denied"))
	if got.Kind != Internal || got.Detail != "the agent failed; its log says why" {
		t.Errorf("got %v, want an internal error without the cause", got)
	}
}
