package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"agentleague/protocol"
)

// refused demands an error of a kind that names a field.
func refused(t testing.TB, err error, k *protocol.Kind, field string) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Kind != k || e.Context["field"] != field {
		t.Errorf("got %v, want %s naming %s", err, k.Name, field)
	}
}

func TestWhereThePlayersAre(t *testing.T) {
	const one, two = "http://localhost:1/mcp", "http://localhost:2/mcp"
	for _, raw := range []string{
		`{"success":true,"query_type":"X","data":{"players":{"P01":"` + one + `","P02":"` + two + `"}}}`,
		`{"players":{"P01":{"endpoint":"` + one + `"},"P02":{"contact_endpoint":"` + two + `"}}}`,
		`{"players":[{"player_id":"P01","endpoint":"` + one + `"},{"player_id":"P02","endpoint":"` + two +
			`"},{"player_id":"P03"}],"referees":[]}`,
	} {
		m, _, err := Read([]byte(raw), protocol.Reading{Type: protocol.TypeLeagueQueryResponse, Reply: true})
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := m.(*protocol.LeagueQueryResponse).Addresses(); !reflect.DeepEqual(got,
			map[string]string{"P01": one, "P02": two}) {
			t.Errorf("%s: got %v", raw, got)
		}
	}
	if got := (&protocol.LeagueQueryResponse{Data: json.RawMessage(`{"players":7}`)}).Addresses(); len(got) != 0 {
		t.Errorf("no players: got %v", got)
	}
}

func TestNoMatchesAreNone(t *testing.T) {
	m, _, err := Read([]byte(`{"matches":null}`), protocol.Reading{Type: protocol.TypeAssignments, Reply: true})
	if list, ok := m.(*protocol.Assignments); !ok || err != nil || len(list.Matches) != 0 {
		t.Errorf("got %+v, %v", m, err)
	}
	holds := func(body string) bool { return places([]byte(body))[0].holds(protocol.TypeAssignments) }
	if !holds(`{"matches":null}`) || holds(`{"status":"ok"}`) {
		t.Error("an empty list and a nod are not told apart")
	}
}

func TestJoinWords(t *testing.T) {
	for status, want := range joins {
		raw := fmt.Sprintf(`{"message_type":"GAME_JOIN_ACK","status":%q}`, strings.ToLower(status))
		m, _, err := Read([]byte(raw), protocol.Reading{Reply: true})
		if err != nil || m.(*protocol.GameJoinAck).Accepts() != want {
			t.Errorf("status %s: got %v, %v; want accepts %v", status, m, err, want)
		}
	}
	for raw, want := range map[string]bool{
		`{"accepted":true}`:                    true,
		`{"accepted":false}`:                   false,
		`{"accept":false,"status":"ACCEPTED"}`: false,
		`{"status":"puzzled"}`:                 true,
		`{}`:                                   true,
	} {
		m, _, err := Read([]byte(raw), protocol.Reading{Type: protocol.TypeGameJoinAck, Reply: true})
		if err != nil || m.(*protocol.GameJoinAck).Accepts() != want {
			t.Errorf("%s: got %v, %v; want accepts %v", raw, m, err, want)
		}
	}
}

func TestRegistrationIsReadFromEverywhere(t *testing.T) {
	const url = "http://localhost:8101/mcp"
	for _, raw := range []string{
		`{"display_name":"A","contact_endpoint":"` + url + `","version":"1.2.3","game_types":["even_odd"]}`,
		`{"display_name":"A","endpoint":"` + url +
			`","version":"1.2.3","game_types":["even_odd"],"player_meta":null,"referee_meta":null}`,
		`{"player_meta":{"display_name":"A","endpoint":"` + url + `","agent_version":"1.2.3","game_types":["even_odd"]},
		  "referee_meta":{"display_name":"A","endpoint":"` + url + `","agent_version":"1.2.3","game_types":["even_odd"]}}`,
	} {
		for _, typ := range []protocol.Type{protocol.TypeLeagueRegisterRequest, protocol.TypeRefereeRegisterRequest} {
			m, _, err := Read([]byte(raw), protocol.Reading{Type: typ})
			if err != nil {
				t.Errorf("%s %s: %v", typ, raw, err)
				continue
			}
			meta := reflect.ValueOf(m).Elem().FieldByName("Meta").Interface().(protocol.AgentMeta)
			if want := (protocol.AgentMeta{
				DisplayName: "A", Version: "1.2.3", GameTypes: []string{"even_odd"}, ContactEndpoint: url,
			}); !reflect.DeepEqual(meta, want) {
				t.Errorf("%s %s: got %+v, want %+v", typ, raw, meta, want)
			}
		}
	}
	m, _, err := Read([]byte(`{"message_type":"REFEREE_REGISTER_REQUEST","referee_id":"REF01","endpoint":"`+url+`"}`),
		protocol.Reading{})
	if r, ok := m.(*protocol.RefereeRegisterRequest); !ok || err != nil || r.Meta.DisplayName != "REF01" ||
		r.Meta.ContactEndpoint != url {
		t.Errorf("an id and an address: got %+v, %v", m, err)
	}
	_, _, err = Read([]byte(`{"player_meta":"A","display_name":"A"}`), protocol.Reading{
		Type: protocol.TypeLeagueRegisterRequest,
	})
	refused(t, err, protocol.MissingField, "player_meta.contact_endpoint")
}

func TestChoicesAreReadFromEverywhere(t *testing.T) {
	for raw, want := range map[string]string{
		`{"parity_choice":"even","choice":"odd"}`: `"even"`,
		`{"choice":"even"}`:                       `"even"`,
		`{"move_data":{"choice":"odd"}}`:          `"odd"`,
		`{"move_data":7}`:                         ``,
		`{"parity_choice":3}`:                     `3`,
	} {
		m, _, err := Read([]byte(raw), protocol.Reading{Type: protocol.TypeChooseParityResponse, Reply: true})
		if err != nil || string(m.(*protocol.ChooseParityResponse).ParityChoice) != want {
			t.Errorf("%s: got %v, %v; want %s", raw, m, err, want)
		}
	}
	for raw, want := range map[string]string{
		`{"move_data":{"choice":4}}`: `4`, `{"choice":4}`: `4`, `{"move":4}`: `4`, `{"parity_choice":"odd"}`: `"odd"`,
	} {
		m, _, err := Read([]byte(raw), protocol.Reading{Type: protocol.TypeGameMoveResponse, Reply: true})
		if err != nil || string(m.(*protocol.GameMoveResponse).MoveData.Choice) != want {
			t.Errorf("%s: got %v, %v; want %s", raw, m, err, want)
		}
	}
}

func TestFailedQueryIsNotTakenForASuccess(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"data":{"status":{}}}`:                       true,
		`{"standings":[]}`:                             true,
		`{"data":null}`:                                false,
		`{"data":{},"error":{"error_code":"E026"}}`:    false,
		`{"success":false,"data":{"standings":[{}]}}`:  false,
		`{"success":true,"data":null}`:                 true,
		`{"standings":[{"player_id":"P01"}],"data":7}`: true,
	} {
		m, _, err := Read([]byte(raw), protocol.Reading{Type: protocol.TypeLeagueQueryResponse, Reply: true})
		if err != nil || m.(*protocol.LeagueQueryResponse).Success != want {
			t.Errorf("%s: got %+v, %v; want success %v", raw, m, err, want)
		}
	}
}

func TestWrongTypesNameThePath(t *testing.T) {
	for _, c := range []struct {
		typ               protocol.Type
		path, value, want string
	}{
		{
			protocol.TypeLeagueRegisterRequest, "player_meta.game_types", `"even_odd"`,
			"player_meta.game_types: want an array, got string",
		},
		{
			protocol.TypeRefereeRegisterRequest, "referee_meta.max_concurrent_matches", `"two"`,
			"referee_meta.max_concurrent_matches: want a whole number, got string",
		},
		{
			protocol.TypeRefereeRegisterRequest, "referee_meta.max_concurrent_matches", `2.5`,
			"referee_meta.max_concurrent_matches: want a whole number, got number 2.5",
		},
		{protocol.TypeGameInvitation, "match_id", `7`, "match_id: want a string, got number"},
		{protocol.TypeGameInvitation, "round_id", `"final"`, `round_id: want a whole number, got "final"`},
		{protocol.TypeChooseParityCall, "context.round_id", `"?"`, `context.round_id: want a whole number, got "?"`},
		{protocol.TypeGameJoinAck, "accept", `"yes"`, "accept: want true or false, got string"},
		{protocol.TypeGameOver, "game_result", `[]`, "game_result: want an object, got array"},
		{protocol.TypeGameOver, "game_result.choices", `3`, "game_result.choices: want an object, got number"},
		{protocol.TypeRoundAnnouncement, "matches", `[{"attempt":"1"}]`, "matches.attempt: want a whole number, got string"},
		{protocol.TypeGetMatchRecords, "records", `[{"attempt":"1"}]`, "records.attempt: want a whole number, got string"},
		{protocol.TypeMatchRecords, "records", `[{"attempt":"1"}]`, "records.attempt: want a whole number, got string"},
		{protocol.TypeRefereeRegisterResponse, "round_id", `true`, "round_id: want a whole number, got true"},
		{protocol.TypeRefereeRegisterResponse, "status", `1`, "status: want a string, got number"},
	} {
		_, _, err := Read(with(t, c.typ, c.path, c.value), protocol.Reading{})
		field, _, _ := strings.Cut(c.want, ":")
		refused(t, err, protocol.InvalidMessage, field)
		if e := protocol.AsError(err); e.Detail != c.want {
			t.Errorf("%s %s: got %q, want %q", c.typ, c.path, e.Detail, c.want)
		}
	}
}

func TestMessageThatCannotBeActedOnNamesWhatItNeeds(t *testing.T) {
	tried := 0
	for _, spec := range protocol.Specs() {
		for _, path := range spec.Needs {
			for _, value := range []string{``, `null`} {
				tried++
				_, _, err := Read(with(t, spec.Type, path, value), protocol.Reading{})
				refused(t, err, protocol.MissingField, path)
				if _, _, err := Read(with(t, spec.Type, path, value), protocol.Reading{Reply: true}); err != nil {
					t.Errorf("a reply %s without %s: %v", spec.Type, path, err)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("tried %d needs, want all", tried)
	}
}

func TestAdmissionInOtherWordsIsAGrant(t *testing.T) {
	raw := json.RawMessage(`{"status":"REGISTERED","referee_id":"REF01"}`)
	m, _, err := Read(raw, protocol.Reading{Type: protocol.TypeRefereeRegisterResponse, Reply: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.(*protocol.RefereeRegisterResponse).Granted(""); err != nil || got != (protocol.Grant{ID: "REF01"}) {
		t.Errorf("got %+v, %v; want REF01 and nothing else", got, err)
	}
}

func TestAdmissionUnderOtherNames(t *testing.T) {
	raw := json.RawMessage(`{"status":"ACCEPTED","assigned_id":"P07","token":"tok"}`)
	m, _, err := Read(raw, protocol.Reading{Type: protocol.TypeLeagueRegisterResponse, Reply: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.(*protocol.LeagueRegisterResponse).Granted("")
	if want := (protocol.Grant{ID: "P07", Token: "tok"}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// A change that the translation does not report is ignored: the message is decoded unchanged.
func TestTranslationTellsOfEveryChange(t *testing.T) {
	t.Parallel()
	told := 0
	try := func(typ protocol.Type, raw json.RawMessage) {
		f, _ := protocol.ParseFields(raw)
		before := maps.Clone(f)
		if understand(typ, f) {
			told++
		} else if !reflect.DeepEqual(f, before) {
			t.Errorf("%s: %s became %s", typ, raw, marshalOr(f, nil))
		}
	}
	for _, d := range readDocuments(t) {
		try(typeOf(d.Message), d.Message)
	}
	for typ := range otherPaths {
		for _, raw := range alterations(t, encoded(t, exampleOf(t, typ))) {
			try(typ, raw)
		}
	}
	for _, typ := range []protocol.Type{
		protocol.TypeLeagueRegisterResponse, protocol.TypeRefereeRegisterResponse, protocol.TypeLeagueQueryResponse,
	} {
		for _, more := range []string{
			`"id":"P07"`, `"token":"t"`, `"players":{}`, `"success":true,"players":[]`, `"accepted":true`,
		} {
			try(typ, json.RawMessage(`{"status":"ACCEPTED",`+more+`}`))
			try(typ, json.RawMessage(`{`+more+`}`))
		}
	}
	if told < 100 {
		t.Errorf("%d messages were changed, want many", told)
	}
}
