package protocol

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
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
		{InvalidMove, "E004", "INVALID_MOVE", every(4004), true},
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
		if e := (&Error{Kind: k}); e.Sentence() != k.Meaning || len(strings.Fields(k.Meaning)) < 3 || len(strings.Fields(k.Suggestion)) < 3 {
			t.Errorf("%s: got the sentences %q and %q, want some words of what is wrong and what to do", k.Name, k.Meaning, k.Suggestion)
		}
		if named, ok := KindNamed(k.Name); !ok || named != k {
			t.Errorf("%s is not found by its name", k.Name)
		}
	}
}

func TestErrorsOfOtherDocumentsAreKnownByName(t *testing.T) {
	for name, want := range map[string]*Kind{
		"PROTOCOL_MISMATCH": VersionMismatch, "INVALID_PROTOCOL_VERSION": VersionMismatch, "INVALID_MOVE": InvalidMove,
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

// The text of each error: the problem, then the expected input.
func TestEveryErrorSaysWhatIsWrongAndWhatIsExpected(t *testing.T) {
	want := map[string][2]string{
		"INTERNAL_ERROR":            {"the agent failed; its log says why", "Try again later, or ask whoever runs the agent"},
		"TIMEOUT_ERROR":             {"no answer came within the deadline", "Answer before the deadline in the message"},
		"INVALID_MESSAGE":           {"the message cannot be understood: a field is of the wrong type or has a wrong value", "Correct the field that is named"},
		"MISSING_REQUIRED_FIELD":    {"a field that this message needs is missing", "Add the field that is named"},
		"INVALID_PARITY_CHOICE":     {"this is not a legal move", "Answer with one of the options that were offered, spelled the same"},
		"INVALID_MOVE":              {"this is not a legal move", "Answer with one of the options that were offered, spelled the same"},
		"PLAYER_NOT_REGISTERED":     {"no such player has registered", "Register first, and use the player_id from the answer"},
		"MATCH_NOT_FOUND":           {"there is no such match, or it is not yours", "Use a match_id that you were given"},
		"OUT_OF_TURN":               {"this cannot be done now", "Wait until you are asked"},
		"DEADLINE_PASSED":           {"the answer came after its deadline and does not count", "Answer before the deadline in the message"},
		"CONNECTION_ERROR":          {"the agent could not be reached, or answered with an error", "Check that the agent runs and answers at its contact_endpoint"},
		"RATE_LIMITED":              {"too many requests came in a second", "Wait a second and try again"},
		"AUTH_TOKEN_MISSING":        {"auth_token is missing", "Send the auth_token that you were given"},
		"AUTH_TOKEN_INVALID":        {"auth_token is wrong or has expired", "Send the auth_token that you were given, or register again"},
		"REFEREE_NOT_REGISTERED":    {"no such referee has registered", "Register first with register_referee, and use the referee_id from the answer"},
		"PROTOCOL_VERSION_MISMATCH": {"this version of the protocol is not supported", "Use league.v2, protocol_version 2.0.0 or later"},
		"REGISTRATION_CLOSED":       {"registration is closed", "Register before the league starts"},
		"LEAGUE_FULL":               {"the league is full", "Ask the organiser for a place in another league"},
		"INVALID_TIMESTAMP":         {"the timestamp is not a time in UTC", "Write it like 2025-01-15T10:15:00Z"},
		"DUPLICATE_NAME":            {"another agent has this name or this place", "Choose a different display_name"},
		"UNSUPPORTED_GAME_TYPE":     {"this game is not played here", "Register with one of the league's games"},
		"ENDPOINT_NOT_ALLOWED":      {"this endpoint may not be called", "Register an address that this league may call"},
		"DUPLICATE_REPORT":          {"the match has been recorded with another result", "Report a match once; the first report counts"},
		"UNKNOWN_QUERY":             {"there is no such query", "Use GET_STANDINGS, GET_SCHEDULE, GET_NEXT_MATCH, GET_PLAYER_STATS, GET_PLAYER_MATCHES, GET_STATUS or GET_GAMES"},
		"UNKNOWN_LEAGUE":            {"there is no such league here", "Use the league_id from your registration"},
		"LEAGUE_NOT_STARTED":        {"the league has not started", "Wait for the first ROUND_ANNOUNCEMENT"},
		"LEAGUE_ALREADY_COMPLETE":   {"the league is over", "Nothing more can be changed; start another league"},
	}
	for _, k := range Kinds {
		if got := [2]string{k.Meaning, k.Suggestion}; got != want[k.Name] {
			t.Errorf("%s: got %q, want %q", k.Name, got, want[k.Name])
		}
		delete(want, k.Name)
	}
	for name := range want {
		t.Errorf("no error has the name %s", name)
	}
}

// The detail of an answer with HTTP 500 names the status, whatever the body is.
func TestARefusalSaysWhatWasAnswered(t *testing.T) {
	for _, tt := range []struct {
		r    Refusal
		want string
	}{
		{Refusal{HTTPStatus: 500, Asked: "choose_parity", Message: "Internal Server Error"},
			"your agent answered HTTP 500 to choose_parity (it said: “Internal Server Error”)"},
		{Refusal{HTTPStatus: 500, Asked: "choose_parity", Said: "\n  Traceback (most recent call last):\n  File"},
			"your agent answered HTTP 500 to choose_parity (it said: “Traceback (most recent call last): File”)"},
		{Refusal{HTTPStatus: 500, Asked: "choose_parity", Said: "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n" +
			"<style>h1{}</style><script>var SECRET = 1</script><!-- Traceback --><h1>It&#39;s broken</h1>"},
			"your agent answered HTTP 500 to choose_parity (it said: “500 Internal Server Error It's broken”)"},
		{Refusal{HTTPStatus: 500, Said: "\x1b[31mred\x1b[0m\u202e ”) ” said"}, "your agent answered HTTP 500 (it said: “[31mred[0m \") \" said”)"},
		{Refusal{HTTPStatus: 500, Said: strings.Repeat("é", 301)}, "your agent answered HTTP 500 (it said: “" + strings.Repeat("é", 300) + "…”)"},
		{Refusal{HTTPStatus: 503, Asked: "game_move"}, "your agent answered HTTP 503 to game_move"},
		{Refusal{HTTPStatus: 404, Asked: "choose_parity", Message: "Not Found"},
			"your agent answered HTTP 404 to choose_parity (it said: “Not Found”)"},
		{Refusal{HTTPStatus: 200, Asked: "choose_parity", Code: -32601, Message: "Method not found"},
			"your agent answered with the JSON-RPC error -32601 to choose_parity (it said: “Method not found”)"},
		{Refusal{HTTPStatus: 200, Name: "RATE_LIMITED", Message: "later"}, "your agent answered RATE_LIMITED (it said: “later”)"},
	} {
		got := tt.r.Cause().Sentence(YourAgent)
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		class, _, _ := strings.Cut(tt.want, " (it said")
		for _, text := range []string{got, got[:max(len(class), len(got)-1)]} { // a text may be cut
			if public := RedactText(strings.ToValidUTF8(text, "")); public != class {
				t.Errorf("the public reads %s\nwant %s", public, class)
			}
		}
	}
}

func TestSecondsReadAsInASentence(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30 seconds", time.Second: "1 second", 500 * time.Millisecond: "0.5 seconds",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
