package profile_test

import (
	"fmt"
	"testing"

	"agentleague/dialect/profile"
	"agentleague/league"
	"agentleague/protocol"
)

// Each document has its own codes and names for some errors.
func TestErrorsHaveTheLabelsOfTheirDocument(t *testing.T) {
	t.Parallel()
	league, game := protocol.TypeLeagueError, protocol.TypeGameError
	for _, c := range []struct {
		profile string
		in      protocol.Type
		kind    *protocol.Kind
		want    string
	}{
		{"contracts", league, protocol.VersionMismatch, "E001 INVALID_PROTOCOL_VERSION"},
		{"contracts", league, protocol.MissingField, "E002 MISSING_REQUIRED_FIELD"},
		{"contracts", league, protocol.InvalidMessage, "E003 INVALID_FIELD_TYPE"},
		{"contracts", league, protocol.AuthTokenInvalid, "E012 AUTH_TOKEN_INVALID"},
		{"contracts", league, protocol.AuthTokenMissing, "E013 AUTH_TOKEN_MISSING"},
		{"contracts", league, protocol.LeagueFull, "E020 LEAGUE_FULL"},
		{"contracts", league, protocol.DuplicateName, "E021 DUPLICATE_NAME"},
		{"contracts", game, protocol.Timeout, "E001 TIMEOUT_ERROR"},
		{"contracts", game, protocol.InvalidChoice, "E002 INVALID_MOVE"},
		{"contracts", game, protocol.Connection, "E003 PLAYER_DISCONNECT"},
		{"contracts", game, protocol.OutOfTurn, "E004 INVALID_STATE"},
		{"api", league, protocol.VersionMismatch, "E003 PROTOCOL_MISMATCH"},
		{"api", league, protocol.MissingField, "E002 INVALID_MESSAGE"},
		{"page", league, protocol.RegistrationClosed, "E018 REGISTRATION_CLOSED"},
		{"assignment", league, protocol.MissingField, "E003 MISSING_REQUIRED_FIELD"},
		{profile.Default, game, protocol.InvalidChoice, "E004 INVALID_PARITY_CHOICE"},
	} {
		m := map[string]any{"message_type": c.in, "error_code": c.kind.Code, "error_name": c.kind.Name, "error_description": c.kind.Name}
		body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "notify_error", "params": m}
		out := object(t, profile.New(c.profile, "").Request(c.in, frame(t, body)))["params"].(map[string]any)
		if got := fmt.Sprint(out["error_code"], " ", out["error_name"]); got != c.want || out["error_description"] != out["error_name"] {
			t.Errorf("%s, %s: got %v, want %s", c.profile, c.kind.Name, out, c.want)
		}
	}
}

// What is no message of ours stays as it is, and the default profile changes nothing.
func TestOtherBodiesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := profile.New("contracts", "")
	for _, body := range []string{"", "null", "[1]", `"text"`, `{`} {
		if got := s.Request(protocol.TypeGameOver, []byte(body)); string(got) != body {
			t.Errorf("request %q: got %q", body, got)
		}
		if got := s.Answer(protocol.TypeGameOver, []byte(body)); string(got) != body {
			t.Errorf("answer %q: got %q", body, got)
		}
		if got := s.Read(protocol.TypeLeagueRegisterRequest, []byte(body)); string(got) != body {
			t.Errorf("registration %q: got %q", body, got)
		}
	}
	if profile.New(profile.Default, "") != nil || profile.New("", "") != nil || profile.Known("v3") || !profile.Known("api") {
		t.Error("only the documents' profiles are others than the default")
	}
	if (*profile.Speaker)(nil).Rules().ListsAgents || (*profile.Speaker)(nil).Method(protocol.TypeGameOver) != "" {
		t.Error("the default profile has rules of a document")
	}
}

func TestFullLeagueIsRefusedWithItsNumbers(t *testing.T) {
	t.Parallel()
	no := league.Refused(protocol.LeagueFull, "the league is full").No
	no.Present, no.Most = 2, 2
	result := no.Admission(protocol.RoleReferee)
	result.MessageType = protocol.TypeRefereeRegisterResponse
	answer := frame(t, map[string]any{"jsonrpc": "2.0", "id": 1, "result": &protocol.RefereeRegisterResponse{Admission: result}})
	got := object(t, profile.New("contracts", "").Answer(protocol.TypeRefereeRegisterRequest, answer))
	contains(t, "answer", map[string]any{"jsonrpc": "2.0", "id": 1.0, "error": map[string]any{
		"code": 1001.0, "message": "League full", "data": map[string]any{"max_referees": 2.0, "current_referees": 2.0},
	}}, got)
	if _, both := got["result"]; both {
		t.Errorf("got %v, want an error and no result", got)
	}
}
