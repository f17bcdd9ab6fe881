package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// absent marks an absent member.
var absent = json.RawMessage(nil)

// with returns the example of a type with one top-level member changed.
func with(t testing.TB, typ Type, name, value string) json.RawMessage {
	t.Helper()
	for _, e := range examples() {
		if e.message.Head().MessageType != typ {
			continue
		}
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatal(err)
		}
		var f Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		if f.Set(name, json.RawMessage(value)); value == string(absent) {
			f.remove(name)
		}
		return mustMarshal(f, nil)
	}
	t.Fatalf("no example of %s", typ)
	return nil
}

// refused demands an error of a kind that names a field.
func refused(t testing.TB, err error, k *Kind, field string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != k || e.Context["field"] != field {
		t.Errorf("got %v, want %s naming %s", err, k.Name, field)
	}
}

func TestEnvelopeInBothModes(t *testing.T) {
	for _, c := range []struct {
		name, value string
		plain       *Kind  // how the default mode refuses it
		warning     string // how the default mode lets it pass
		strict      *Kind
	}{
		{"protocol", ``, nil, "protocol: absent", MissingField},
		{"protocol", `null`, nil, "protocol: absent", MissingField},
		{"protocol", `"league.v1"`, VersionMismatch, "", VersionMismatch},
		{"protocol", `""`, VersionMismatch, "", VersionMismatch},
		{"protocol", `2`, VersionMismatch, "", VersionMismatch},
		{"message_type", ``, nil, "message_type: absent", MissingField},
		{"message_type", `"INVITE"`, nil, `message_type: unknown message "INVITE", read as GAME_INVITATION`, InvalidMessage},
		{"message_type", `7`, InvalidMessage, "", InvalidMessage},
		{"sender", ``, nil, "sender: absent", MissingField},
		{"sender", `"somebody"`, InvalidMessage, "", InvalidMessage},
		{"sender", `"player:"`, InvalidMessage, "", InvalidMessage},
		{"sender", `"umpire:U1"`, InvalidMessage, "", InvalidMessage},
		{"sender", `""`, nil, "sender: absent", MissingField},
		{"sender", `["player:P01"]`, InvalidMessage, "", InvalidMessage},
		{"sender", `"league_manager:LM01"`, nil, "", nil},
		{"timestamp", ``, nil, "timestamp: absent", MissingField},
		{"timestamp", `"2025-01-15T10:30:00+00:00"`, nil, "", nil},
		{"timestamp", `"2025-01-15T10:30:00.123456Z"`, nil, "", nil},
		{"timestamp", `"20250115T10:30:15Z"`, nil, "timestamp: odd form 20250115T10:30:15Z", InvalidTimestamp},
		{"timestamp", `"20261115T021238Z"`, nil, "timestamp: odd form 20261115T021238Z", InvalidTimestamp},
		{"timestamp", `"2025-01-15T10:30:00+02:00"`, InvalidTimestamp, "", InvalidTimestamp},
		{"timestamp", `"2025-01-15T10:30:00"`, InvalidTimestamp, "", InvalidTimestamp},
		{"timestamp", `"yesterday"`, InvalidTimestamp, "", InvalidTimestamp},
		{"timestamp", `""`, InvalidTimestamp, "", InvalidTimestamp},
		{"timestamp", `1736937000`, InvalidTimestamp, "", InvalidTimestamp},
		{"conversation_id", ``, nil, "conversation_id: absent", MissingField},
		{"conversation_id", `null`, nil, "conversation_id: absent", MissingField},
		{"conversation_id", `3`, InvalidMessage, "", InvalidMessage},
		{"round_id", `"ROUND_1"`, nil, "", nil},
		{"round_id", `"first"`, InvalidMessage, "", InvalidMessage},
		{"auth_token", ``, nil, "", nil},
		{"auth_token", `null`, nil, "", nil},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			raw := with(t, TypeGameInvitation, c.name, c.value)
			m, warnings, err := Decode(raw, Reading{Type: TypeGameInvitation, Now: arrival, Conversation: "conv-new"})
			if c.plain != nil {
				refused(t, err, c.plain, c.name)
			} else if want := list(c.warning); err != nil || !slices.Equal(warnings, want) {
				t.Errorf("got %v and the warnings %q, want %q", err, warnings, want)
			}
			if (m == nil) != (err != nil) {
				t.Errorf("got the message %v beside the error %v", m, err)
			}
			m, _, err = Decode(raw, Reading{Type: TypeGameInvitation, Strict: true})
			if c.strict != nil {
				refused(t, err, c.strict, c.name)
			} else if err != nil {
				t.Errorf("strict: got %v, want none", err)
			}
			if (m == nil) != (err != nil) {
				t.Errorf("strict: got the message %v beside the error %v", m, err)
			}
		})
	}
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func TestAbsentEnvelopeIsFilledIn(t *testing.T) {
	raw := fmt.Sprintf(`{"match_id":"R1M1","accept":true,"auth_token":%q}`, exPlayer1)
	m, warnings, err := Decode([]byte(raw), Reading{Type: TypeGameJoinAck, Now: arrival, Conversation: "conv-new"})
	if err != nil {
		t.Fatal(err)
	}
	h, want := m.Head(), Envelope{
		Protocol: Version, MessageType: TypeGameJoinAck, Sender: "player:P01", Timestamp: Stamp(arrival),
		ConversationID: "conv-new", AuthToken: exPlayer1, MatchID: "R1M1", source: json.RawMessage(raw),
	}
	if !reflect.DeepEqual(*h, want) {
		t.Errorf("got %+v, want %+v", *h, want)
	}
	if len(warnings) != 5 {
		t.Errorf("got the warnings %q, want one for each of five fields", warnings)
	}
}

func TestHyphenlessTimestampIsReadAsOurs(t *testing.T) {
	m, _, err := Decode(with(t, TypeGameInvitation, "timestamp", `"20261115T021238Z"`), Reading{})
	if err != nil || m.Head().Timestamp != "2026-11-15T02:12:38Z" {
		t.Errorf("got %v, %v; want 2026-11-15T02:12:38Z", m, err)
	}
}

func TestAnySenderMayRegister(t *testing.T) {
	for _, typ := range []Type{TypeLeagueRegisterRequest, TypeRefereeRegisterRequest} {
		for _, sender := range []string{`"Alice"`, `"player:pending"`, `"player"`} {
			if _, _, err := Decode(with(t, typ, "sender", sender), Reading{Strict: true}); err != nil {
				t.Errorf("%s from %s: %v", typ, sender, err)
			}
		}
		_, _, err := Decode(with(t, typ, "sender", `5`), Reading{})
		refused(t, err, InvalidMessage, "sender")
	}
}

func TestSenderThatIsAnIDGetsItsRole(t *testing.T) {
	for id, want := range map[string]string{"REF01": "referee:REF01", "P07": "player:P07"} {
		raw := with(t, TypeGameInvitation, "sender", `"`+id+`"`)
		m, warnings, err := Decode(raw, Reading{})
		if err != nil || m.Head().Sender != want || !slices.Contains(warnings, "sender: no role") {
			t.Errorf("%s: got %+v, %v, %v", id, m, warnings, err)
		}
		_, _, err = Decode(raw, Reading{Strict: true})
		refused(t, err, InvalidMessage, "sender")
	}
	_, _, err := Decode(with(t, TypeGameInvitation, "sender", `"somebody"`), Reading{})
	refused(t, err, InvalidMessage, "sender")
}

func TestRepliesAreNeverRefusedForTheirEnvelope(t *testing.T) {
	for name, values := range map[string][]string{
		"protocol":          {``, `"league.v1"`, `2`, `{}`},
		"message_type":      {``, `"JOIN"`, `7`},
		"sender":            {``, `"somebody"`, `[]`},
		"timestamp":         {``, `"yesterday"`, `"2025-01-15T10:30:00+02:00"`, `1736937000.5`},
		"conversation_id":   {``, `7`, `{"id":7}`},
		"auth_token":        {``, `null`, `true`},
		"round_id":          {``, `"final"`, `1.5`, `{}`, `-1`, `"null"`},
		"match_id":          {``, `12`},
		"league_id":         {``, `[1]`},
		"arrival_timestamp": {``, `"soon"`, `1736937000`, `"20250115T10:30:15Z"`},
		"player_id":         {``, `1`},
	} {
		for _, value := range values {
			for _, strict := range []bool{false, true} {
				m, warnings, err := Decode(with(t, TypeGameJoinAck, name, value), Reading{
					Type: TypeGameJoinAck, Reply: true, Strict: strict,
				})
				if err != nil {
					t.Errorf("%s %s: %v", name, value, err)
					continue
				}
				if ack := m.(*GameJoinAck); !ack.Accepts() || ack.Accept == nil {
					t.Errorf("%s %s: got accept %v, want true", name, value, ack.Accept)
				}
				if value != "" && value != "null" && len(warnings) == 0 &&
					!slices.Contains([]string{`"league.v1"`, `"somebody"`}, value) {
					t.Errorf("%s %s passed without a warning", name, value)
				}
			}
		}
	}
}

// Referees of other makes write times without a zone.
func TestTimeWithoutAZoneIsReadFromReferees(t *testing.T) {
	for _, typ := range []Type{TypeRefereeRegisterRequest, TypeMatchResultReport} {
		for _, stamp := range []string{`"2025-01-15T10:30:00"`, `"2025-01-15T10:30:00.123456"`} {
			raw := with(t, typ, "timestamp", stamp)
			m, warnings, err := Decode(raw, Reading{Type: typ, Now: arrival, Conversation: "conv-new"})
			if err != nil || m.Head().Timestamp != "2025-01-15T10:30:00Z" || len(warnings) != 1 {
				t.Errorf("%s %s: got %v and the warnings %q", typ, stamp, err, warnings)
			}
			_, _, err = Decode(raw, Reading{Type: typ, Now: arrival, Conversation: "conv-new", Strict: true})
			refused(t, err, InvalidTimestamp, "timestamp")
		}
	}
}

func TestOddArrivalIsKept(t *testing.T) {
	m, warnings, err := Decode(with(t, TypeGameJoinAck, "arrival_timestamp", `"soon"`), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*GameJoinAck).ArrivalTimestamp; got != "soon" ||
		!slices.Equal(warnings, []string{"arrival_timestamp: odd form soon"}) {
		t.Errorf("got %q and the warnings %q", got, warnings)
	}
}

func TestReplysWrongMembersAreLeftOut(t *testing.T) {
	raw := with(t, TypeGameMoveResponse, "move_data", `{"move_type":5,"choice":4}`)
	m, warnings, err := Decode(raw, Reading{Reply: true})
	if err != nil || len(warnings) != 1 || warnings[0] != "move_data.move_type: want a string, got number" {
		t.Fatalf("got %v and the warnings %q", err, warnings)
	}
	if got := string(m.(*GameMoveResponse).MoveData.Choice); got != "4" {
		t.Errorf("got the choice %s, want 4: what is right counts", got)
	}
}

// TestOnlyAnExplicitFalseDeclines: a member of a wrong type must not leave a zero behind.
func TestOnlyAnExplicitFalseDeclines(t *testing.T) {
	for _, accept := range []string{`"certainly"`, `1`, `null`, `{}`} {
		m := decode[*GameJoinAck](t, `{"accept":`+accept+`}`, Reading{Type: TypeGameJoinAck, Reply: true})
		if m.Accept != nil || !m.Accepts() {
			t.Errorf("accept %s declines", accept)
		}
	}
	m := decode[*PlayerState](t, `{"history":[{"round_id":1},{"round_id":"x"}],"stats":{"wins":2,"losses":"none"}}`,
		Reading{Type: TypePlayerState, Reply: true})
	if m.History != nil || m.Stats.Wins != 2 {
		t.Errorf("got %+v, want no history and the wins that are right", m)
	}
}

func TestNamesAreCaseSensitiveAtEveryDepth(t *testing.T) {
	_, _, err := Decode([]byte(`{"message_type":"GAME_INVITATION","Match_ID":"R1M1"}`), Reading{})
	refused(t, err, MissingField, "match_id")

	raw := `{"message_type":"LEAGUE_REGISTER_REQUEST","Sender":5,"ſender":6,"player_meta":{"display_name":"A","Display_Name":"B",
		"contact_endpoint":"http://localhost:8101/mcp","VERSION":"9"}}`
	m, _, err := Decode([]byte(raw), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if meta := m.(*LeagueRegisterRequest).Meta; meta.DisplayName != "A" || meta.Version != "" {
		t.Errorf("got %+v, want the name A and no version", meta)
	}
	raw = `{"message_type":"LEAGUE_STANDINGS_UPDATE","standings":[{"rank":1,"Rank":2,"RANK":"x","player_id":"P01"}]}`
	m, _, err = Decode([]byte(raw), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*StandingsUpdate).Standings; len(got) != 1 || got[0].Rank != 1 {
		t.Errorf("got %+v, want rank 1", got)
	}
	again, _ := Encode(m)
	if !strings.Contains(string(again), `"RANK":"x"`) {
		t.Errorf("got %s, want the other names kept", again)
	}
}

func TestWrongTypesNameThePath(t *testing.T) {
	for _, c := range []struct {
		typ               Type
		path, value, want string
	}{
		{TypeLeagueRegisterRequest, "player_meta.game_types", `"even_odd"`,
			"player_meta.game_types: want an array, got string"},
		{TypeRefereeRegisterRequest, "referee_meta.max_concurrent_matches", `"two"`,
			"referee_meta.max_concurrent_matches: want a whole number, got string"},
		{TypeRefereeRegisterRequest, "referee_meta.max_concurrent_matches", `2.5`,
			"referee_meta.max_concurrent_matches: want a whole number, got number 2.5"},
		{TypeGameInvitation, "match_id", `7`, "match_id: want a string, got number"},
		{TypeGameInvitation, "round_id", `"final"`, `round_id: want a whole number, got "final"`},
		{TypeChooseParityCall, "context.round_id", `"?"`, `context.round_id: want a whole number, got "?"`},
		{TypeGameJoinAck, "accept", `"yes"`, "accept: want true or false, got string"},
		{TypeGameOver, "game_result", `[]`, "game_result: want an object, got array"},
		{TypeGameOver, "game_result.choices", `3`, "game_result.choices: want an object, got number"},
		{TypeRoundAnnouncement, "matches", `[{"attempt":"1"}]`, "matches.attempt: want a whole number, got string"},
		{TypeGetMatchRecords, "records", `[{"attempt":"1"}]`, "records.attempt: want a whole number, got string"},
		{TypeMatchRecords, "records", `[{"attempt":"1"}]`, "records.attempt: want a whole number, got string"},
		{TypeRefereeRegisterResponse, "round_id", `true`, "round_id: want a whole number, got true"},
		{TypeRefereeRegisterResponse, "status", `1`, "status: want a string, got number"},
	} {
		_, _, err := Decode(with(t, c.typ, c.path, c.value), Reading{})
		field, _, _ := strings.Cut(c.want, ":")
		refused(t, err, InvalidMessage, field)
		if e := AsError(err); e.Detail != c.want {
			t.Errorf("%s %s: got %q, want %q", c.typ, c.path, e.Detail, c.want)
		}
	}
}

func TestMessageThatCannotBeActedOnNamesWhatItNeeds(t *testing.T) {
	tried := 0
	for _, spec := range Specs() {
		for _, path := range spec.Needs {
			for _, value := range []string{``, `null`} {
				tried++
				_, _, err := Decode(with(t, spec.Type, path, value), Reading{})
				refused(t, err, MissingField, path)
				if _, _, err := Decode(with(t, spec.Type, path, value), Reading{Reply: true}); err != nil {
					t.Errorf("a reply %s without %s: %v", spec.Type, path, err)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("tried %d needs, want all", tried)
	}
}

func TestMessageTypeDecidesBeforeTheMethod(t *testing.T) {
	m, _, err := Decode([]byte(`{"message_type":"PING"}`), Reading{Type: TypeGetStandings})
	if err != nil || m.Head().MessageType != TypePing {
		t.Errorf("got %v, %v; want a PING", m, err)
	}
	m, warnings, err := Decode([]byte(`{}`), Reading{Type: TypeGetStandings})
	if err != nil || m.Head().MessageType != TypeGetStandings || !slices.Contains(warnings, "message_type: absent") {
		t.Errorf("got %v, %v, %q; want a GET_STANDINGS with a warning", m, err, warnings)
	}
	_, _, err = Decode([]byte(`{"message_type":"GAME_UNDER"}`), Reading{})
	refused(t, err, InvalidMessage, "message_type")
	_, _, err = Decode([]byte(`{}`), Reading{})
	refused(t, err, MissingField, "message_type")
}

func TestOnlyAnObjectIsAMessage(t *testing.T) {
	for _, raw := range []string{``, `null`, `[]`, `"PING"`, `7`, `{`, `{"a":}`} {
		if _, _, err := Decode([]byte(raw), Reading{Type: TypePing}); !Is(err, InvalidMessage) {
			t.Errorf("%q: got %v, want %s", raw, err, InvalidMessage.Name)
		}
	}
}

func TestDecodedMessageDoesNotShareItsSource(t *testing.T) {
	raw := []byte(`{"message_type":"PING","extra":1}`)
	m, _, err := Decode(raw, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	copy(raw, `{"message_type":"PONG","other":2}`)
	if got := string(m.Head().Source()); got != `{"message_type":"PING","extra":1}` {
		t.Errorf("the source became %s", got)
	}
}

func TestRoundForms(t *testing.T) {
	for raw, want := range map[string]Round{
		`1`: 1, `12`: 12, `0`: 0, `"1"`: 1, `"ROUND_1"`: 1, `"Round 3"`: 3, `"R12"`: 12, `"round-2"`: 2,
		`"\u0052OUND_4"`: 4, `null`: 0,
	} {
		var got Round
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		`-1`, `1.5`, `"final"`, `""`, `"null"`, `"R1M1"`, `true`, `{}`, `[1]`, `1e3`, `99999999999999999999`,
	} {
		var got Round
		var wrong *json.UnmarshalTypeError
		if err := json.Unmarshal([]byte(raw), &got); !errors.As(err, &wrong) {
			t.Errorf("%s: got %d, %v; want an error of its type", raw, got, err)
		}
	}
}

func TestEveryRequestIsFoundByItsMethod(t *testing.T) {
	methods := map[string]Type{}
	for _, s := range Specs() {
		if s.Method == "" {
			continue
		}
		if other, twice := methods[s.Method]; twice {
			t.Errorf("%s has the method of %s", s.Type, other)
		}
		methods[s.Method] = s.Type
		if got, ok := ByMethod(s.Method); !ok || got.Type != s.Type {
			t.Errorf("%s: got %s, want %s", s.Method, got.Type, s.Type)
		}
		if reply, ok := Lookup(s.Reply); !ok || reply.Reply != "" || s.Deadline <= 0 {
			t.Errorf("%s: its reply %s or its deadline %v is none", s.Type, s.Reply, s.Deadline)
		}
	}
	if _, ok := ByMethod("game_invitation_of_another_kind"); ok {
		t.Error("an unknown method was found")
	}
	if len(slices.Collect(maps.Keys(methods))) < 25 {
		t.Errorf("found %d methods, want all", len(methods))
	}
}

func TestWhatAnyAnswerAcknowledges(t *testing.T) {
	for typ, want := range map[Type]bool{
		TypeGameOverAck: true, TypeRoundAnnouncementAck: true, TypeLeagueCompletedAck: true,
		TypeStartMatchAck: false, TypeMatchResultAck: false, TypeGameJoinAck: false, "NONE": false,
	} {
		if got := IsAck(typ); got != want {
			t.Errorf("%s: got %v, want %v", typ, got, want)
		}
	}
}
