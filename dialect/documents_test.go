package dialect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestEveryDocumentedMessageIsUnderstood(t *testing.T) {
	for _, d := range readDocuments(t) {
		t.Run(d.String(), func(t *testing.T) {
			m, _, err := Read(d.Message, protocol.Reading{Now: arrival, Conversation: "conv-filled"})
			if err != nil {
				t.Fatal(err)
			}
			h := m.Head()
			if h.MessageType != typeOf(d.Message) || h.Protocol != protocol.Version || h.Timestamp == "" ||
				h.ConversationID == "" {
				t.Errorf("got the envelope %+v, want it whole", h)
			}
			again, err := protocol.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			compareValues(t, "", parse(t, d.Message), parse(t, again))
		})
	}
}

// ours maps documented values to our form of them, where it differs.
var ours = map[string]any{"ROUND_1": 1.0, "REGISTERED": "ACCEPTED"}

// compareValues demands that got has every member of want at every depth, with its value.
func compareValues(t *testing.T, path string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want an object", path, got)
		}
		for name, v := range want {
			if _, kept := got[name]; !kept {
				t.Errorf("%s.%s was lost", path, name)
				continue
			}
			compareValues(t, path+"."+name, v, got[name])
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			t.Fatalf("%s: got %v, want %v", path, got, want)
		}
		for i := range want {
			compareValues(t, fmt.Sprintf("%s[%d]", path, i), want[i], got[i])
		}
	default:
		if said, ok := want.(string); ok && ours[said] != nil {
			want = ours[said]
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func parse(t testing.TB, raw []byte) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestWholeEnvelopesPassStrictMode(t *testing.T) {
	whole := 0
	for _, d := range readDocuments(t) {
		m := parse(t, d.Message).(map[string]any)
		missing := ""
		for _, name := range strings.Fields("protocol sender timestamp conversation_id") {
			if m[name] == nil {
				missing = name
			}
		}
		_, warnings, err := Read(d.Message, protocol.Reading{Strict: true})
		switch {
		case missing == "" && (err != nil || len(warnings) > 0):
			t.Errorf("%v: got %v and the warnings %v, want neither", d, err, warnings)
		case missing != "" && !protocol.Is(err, protocol.MissingField):
			t.Errorf("%v lacks %s: got %v, want %s", d, missing, err, protocol.MissingField.Name)
		case missing == "":
			whole++
		}
	}
	if whole < 45 {
		t.Errorf("%d documented messages have a whole envelope, want more", whole)
	}
}

// TestRepliesOfEveryDocumentAreTaken decodes the replies of other documents, which have an incomplete envelope.
func TestRepliesOfEveryDocumentAreTaken(t *testing.T) {
	for _, d := range readDocuments(t) {
		if spec, _ := protocol.Lookup(typeOf(d.Message)); spec.Reply != "" {
			continue
		}
		if _, _, err := Read(d.Message, protocol.Reading{Reply: true, Strict: true}); err != nil {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// find returns the documented message with that name, decoded.
func find[M protocol.Message](t *testing.T, name string) M {
	t.Helper()
	for _, d := range readDocuments(t) {
		if d.String() == name {
			m, _, err := Read(d.Message, protocol.Reading{Now: arrival})
			if err != nil {
				t.Fatal(err)
			}
			return m.(M)
		}
	}
	t.Fatalf("no document has %s", name)
	panic("unreachable")
}

func TestOtherDocumentsFormsBecomeOurs(t *testing.T) {
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	invitation := find[*protocol.GameInvitation](t, "000 §GAME_INVITATION GAME_INVITATION")
	check("round_id ROUND_1", invitation.RoundID, protocol.Round(1))
	check("role", invitation.RoleInMatch, "PLAYER_A")
	registered := find[*protocol.LeagueRegisterResponse](t, "000 §LEAGUE_REGISTER_RESPONSE LEAGUE_REGISTER_RESPONSE")
	check("status REGISTERED", registered.Status, protocol.Accepted)
	check("player_id", *registered.PlayerID, "P01")
	check("auth_token", *registered.AuthToken, "tok_abc123xyz")
	over := find[*protocol.GameOver](t, "000 §GAME_OVER GAME_OVER")
	check("flat drawn_number", *over.GameResult.DrawnNumber.Value, 7)
	check("flat result", over.Result, protocol.Win)
	check("your_choice", string(over.YourChoice), `"odd"`)
	table := find[*protocol.LeagueQueryResponse](t, "000 §QUERY_STANDINGS_RESPONSE QUERY_STANDINGS_RESPONSE")
	check("standings", table.Standings[0].PlayerID, "P04")
	check("success", table.Success, true)

	check("READY", find[*protocol.GameJoinAck](t, "003 §GAME_JOIN_ACK GAME_JOIN_ACK").Accepts(), true)
	meta := find[*protocol.LeagueRegisterRequest](t, "003 §LEAGUE_REGISTER_REQUEST LEAGUE_REGISTER_REQUEST").Meta
	check("agent_version", meta.Version, "1.0.0")
	check("protocol_version", meta.ProtocolVersion, protocol.Release)
	over = find[*protocol.GameOver](t, "003 §GAME_OVER GAME_OVER")
	check("winner", *over.GameResult.WinnerPlayerID, "P01")
	check("details.drawn_number", *over.GameResult.DrawnNumber.Value, 4)
	check("details.parity", *over.GameResult.NumberParity.Value, "even")
	report := find[*protocol.MatchResultReport](t, "003 §MATCH_RESULT_REPORT MATCH_RESULT_REPORT")
	check("result.details.parity", *report.Result.Details.NumberParity.Value, "even")
	check("score", string(report.Result.Score["P02"]), `"odd"`)
	refused := find[*protocol.LeagueError](t, "003 §LEAGUE_ERROR LEAGUE_ERROR")
	check("error_message", refused.ErrorDescription, "AUTH_TOKEN_INVALID")
	check("its name", refused.ErrorName, "AUTH_TOKEN_INVALID")
	table = find[*protocol.LeagueQueryResponse](t, "003 §LEAGUE_QUERY_RESPONSE LEAGUE_QUERY_RESPONSE")
	check("data.standings", table.Standings[0].Points, 7)

	table = find[*protocol.LeagueQueryResponse](t, "004 §7.1 LEAGUE_QUERY_RESPONSE")
	check("success of an answer with standings", table.Success, true)
	check("current_round", *table.CurrentRound, 1)
	check("data.standings", len(parse(t, table.Data).(map[string]any)["standings"].([]any)), 2)
	check("matches_played", find[*protocol.RoundCompleted](t, "004 §3.3 ROUND_COMPLETED").MatchesCompleted, 2)
	check("rejection", find[*protocol.RefereeRegisterResponse](t, "004 §2.1 REFEREE_REGISTER_RESPONSE").Status,
		protocol.Accepted)
	check("parity_choice",
		string(find[*protocol.ChooseParityResponse](t, "004 §4.2 CHOOSE_PARITY_RESPONSE").ParityChoice), `"even"`)

	failed := find[*protocol.GameError](t, "001 §4.10.2 GAME_ERROR")
	check("retry_info.retry_count", failed.RetryCount, 1)
	check("retry_info.max_retries", failed.MaxRetries, 3)
	check("affected_player", failed.PlayerID, "P02")
	check("its name", failed.ErrorName, protocol.Timeout.Name)
	check("player_id", find[*protocol.GameError](t, "001 §2.9.2 GAME_ERROR").AffectedPlayer, "P01")
	check("move_data.choice",
		string(find[*protocol.GameMoveResponse](t, "001 §3.8.2 GAME_MOVE_RESPONSE").MoveData.Choice), `"even"`)
}

// The assignment's §2.10.1 shows only the version of a registration.
func TestExcerptIsRefused(t *testing.T) {
	excerpt := `{"message_type":"LEAGUE_REGISTER_REQUEST",
		"player_meta":{"display_name":"Agent Alpha","version":"1.0.0","protocol_version":"2.1.0","game_types":["even_odd"]}}`
	_, _, err := Read([]byte(excerpt), protocol.Reading{})
	if e := protocol.AsError(err); e.Kind != protocol.MissingField ||
		e.Context["field"] != "player_meta.contact_endpoint" {
		t.Errorf("got %v, want %s naming player_meta.contact_endpoint", err, protocol.MissingField.Name)
	}
}
