package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// open reads a body as a node does: as JSON-RPC, or else as a message alone.
func open(path, body string) (Request, bool) {
	var f map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &f) != nil {
		return Request{}, false
	}
	if f["jsonrpc"] == nil && f["method"] == nil {
		return ParseBare(path, json.RawMessage(body), f)
	}
	var method string
	_ = json.Unmarshal(f["method"], &method)
	return ParseCall(method, f["params"]), true
}

// For a client without a token, the answer may be beside the result, where a bare message would be.
func TestAnswersStandBesideTheResultForWhoeverHasNoToken(t *testing.T) {
	for _, typ := range []protocol.Type{
		protocol.TypeGameJoinAck, protocol.TypeChooseParityResponse, protocol.TypeGameMoveResponse, protocol.TypeGameOverAck,
	} {
		message := json.RawMessage(`{"message_type":"` + string(typ) + `","match_id":"R1M1"}`)
		for _, token := range []string{"", `,"auth_token":"tok"`} {
			o, _ := open("mcp", `{"jsonrpc":"2.0","method":"choose_parity","params":{"match_id":"R1M1"`+token+`},"id":7}`)
			f, _ := protocol.ParseFields(o.Answer(json.RawMessage("7"), message))
			if string(f["id"]) != "7" || string(f["jsonrpc"]) != `"2.0"` || string(f["result"]) != string(message) {
				t.Errorf("%s: got %s", typ, f)
			}
			if got, want := f.Has("message_type"), token == "" && typ != protocol.TypeGameOverAck; got != want {
				t.Errorf("%s, token %q: beside the result is %v, want %v", typ, token, got, want)
			}
		}
	}
}

const introduction = `{"display_name":"Bot","contact_endpoint":"http://localhost:8101/mcp"}`

func TestRequestsAreParsed(t *testing.T) {
	const player, referee = protocol.TypeLeagueRegisterRequest, protocol.TypeRefereeRegisterRequest
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `,"id":1}`
	}
	for _, c := range []struct {
		path, body string
		row, name  string
		typ        protocol.Type
	}{
		{"mcp", call("register_player", `{"player_meta":`+introduction+`}`), "A", "register_player", player},
		{"mcp", call("league_register", introduction), "A", "league_register", player},
		{"mcp", call("anything", `{"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":`+introduction+`}`), "A",
			"anything", player},
		{"mcp", call("LEAGUE_REGISTER_REQUEST", `{"player_meta":`+introduction+`}`), "B", "LEAGUE_REGISTER_REQUEST", player},
		{"mcp", call("CHOOSE_PARITY", `{"match_id":"M1"}`), "B", "CHOOSE_PARITY", protocol.TypeChooseParityCall},
		{"mcp", call("tools/call", `{"name":"register_player","arguments":{"player_meta":`+introduction+`}}`), "C",
			"register_player", player},
		{"mcp", call("tools/call", `{"name":"register_player","arguments":{"message":{"player_meta":`+introduction+`}}}`),
			"C", "register_player", player},
		{"mcp", call("tools/call", `{"name":"ping"}`), "C", "ping", protocol.TypePing},
		{"mcp", call("tools/call", `{"name":"x","arguments":{"message_type":"GAME_JOIN_ACK","match_id":"M1"}}`), "C", "x",
			protocol.TypeGameJoinAck},
		{"mcp", call("handle_message", `{"message":{"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":`+introduction+
			`}}`), "D", "handle_message", player},
		{"mcp", call("league.handle", `{"message":{"message_type":"LEAGUE_QUERY","query_type":"GET_STANDINGS"}}`), "D",
			"league.handle", protocol.TypeLeagueQuery},
		{"mcp", call("league.handle", `{"message_type":"LEAGUE_QUERY","query_type":"GET_STANDINGS"}`), "A", "league.handle",
			protocol.TypeLeagueQuery},
		{"mcp", call("whatever", `{"message":{"message_type":"MATCH_RESULT_REPORT"}}`), "D", "whatever",
			protocol.TypeMatchResultReport},
		{"mcp", `{"protocol":"league.v2","message_type":"LEAGUE_REGISTER_REQUEST","data":{"player_meta":` + introduction +
			`}}`, "E", "mcp", player},
		{"register", `{"message_type":"REGISTER_PLAYER","payload":` + introduction + `}`, "E", "register", player},
		{"mcp", `{"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":` + introduction + `}`, "F", "mcp", player},
		{"register", `{"display_name":"Bot","version":"1","endpoint":"http://localhost:8101"}`, "G", "register", player},
		{"register", `{"name":"Judge","url":"http://localhost:8001","role":"REFEREE"}`, "G", "register", referee},
		{"mcp", call("register", `{"referee_meta":`+introduction+`}`), "A", "register", referee},
		{"mcp", call("register_player", `{"sender":"referee:REF01","meta":`+introduction+`}`), "A",
			"register_player", referee},
		{"mcp", call("LEAGUE_REGISTER_REQUEST", `{"agent_type":"referee","agent_meta":`+introduction+`}`), "B",
			"LEAGUE_REGISTER_REQUEST", referee},
		{"mcp", call("query_league", `{"query_type":"GET_STANDINGS"}`), "A", "query_league", protocol.TypeLeagueQuery},
		{"mcp", call("match_result_report", `{"match_id":"M1"}`), "A", "match_result_report", protocol.TypeMatchResultReport},
		{"report_result", `{"match_id":"M1","winner":"P01"}`, "G", "report_result", protocol.TypeMatchResultReport},
	} {
		o, ok := open(c.path, c.body)
		if !ok || o.Row != c.row || o.Name != c.name {
			t.Errorf("%s: got %v, row %q, name %q; want %q, %q", c.body, ok, o.Row, o.Name, c.row, c.name)
			continue
		}
		if types := o.Types(); len(types) == 0 || types[0] != c.typ {
			t.Errorf("%s: got %v, want %s", c.body, types, c.typ)
		}
		if !c.typ.Registers() {
			continue
		}
		m, _, err := Read(o.Message, protocol.Reading{Type: c.typ, Now: arrival})
		if err != nil || m.Head().MessageType != c.typ {
			t.Errorf("%s: got %v, %v", c.body, m, err)
		}
	}
}

func TestRequestsWithoutAMessage(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"mcp", `{}`}, {"", `{"display_name":"Bot"}`}, {"health", `{"message_type":7}`}, {"mcp", `{"message_type":null}`},
	} {
		if o, ok := open(c.path, c.body); ok {
			t.Errorf("%s: got %+v, want nothing", c.body, o)
		}
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","method":"tools/call"}`,
		`{"jsonrpc":"2.0","method":"handle_message","params":{"message":"hello"}}`,
		`{"jsonrpc":"2.0","method":"handle_message","params":{"message":null}}`,
		`{"jsonrpc":"2.0","method":"dance","params":{"message":{"steps":2}}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"arguments":null}}`,
	} {
		if o, ok := open("mcp", body); !ok || len(o.Types()) != 0 {
			t.Errorf("%s: got %v", body, o.Types())
		}
	}
}

func TestAnswerGoesOutInKind(t *testing.T) {
	const yes = `{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P01"}`
	for _, c := range []struct{ name, body, message, want string }{
		{"call", `{"jsonrpc":"2.0","method":"register_player","params":{}}`, yes,
			`{"id":7,"jsonrpc":"2.0","result":` + yes + `}`},
		{"type", `{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":{}}`, yes,
			`{"id":7,"jsonrpc":"2.0","result":` + yes + `}`},
		{"type, with the version's own name",
			`{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":{"player_meta":{"protocol_version":"league.v2"}}}`,
			yes,
			`{"id":7,"jsonrpc":"2.0","result":{"message_type":"LEAGUE_REGISTER_RESPONSE","player_id":"P01","status":"REGISTERED"}}`},
		{"type, refused", `{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":{}}`,
			`{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"REJECTED"}`,
			`{"id":7,"jsonrpc":"2.0","result":{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"REJECTED"}}`},
		{"type, something else", `{"jsonrpc":"2.0","method":"MATCH_RESULT_REPORT","params":{}}`,
			`{"message_type":"MATCH_RESULT_ACK","status":"ACCEPTED"}`,
			`{"id":7,"jsonrpc":"2.0","result":{"message_type":"MATCH_RESULT_ACK","status":"ACCEPTED"}}`},
		{"tool", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ping"}}`, `{"status":"ok"}`,
			`{"id":7,"jsonrpc":"2.0","result":{"content":[{"text":"{\"status\":\"ok\"}","type":"text"}],"isError":false,"status":"ok","structuredContent":{"status":"ok"}}}`},
		{"data", `{"message_type":"LEAGUE_REGISTER_REQUEST","data":{}}`, yes,
			`{"data":` + sortedYes + `,"message_type":"LEAGUE_REGISTER_RESPONSE","player_id":"P01","status":"success"}`},
		{"data without status", `{"message_type":"PING","data":{}}`, `{"agent":"x"}`, `{"agent":"x","data":{"agent":"x"}}`},
		{"bare", `{"message_type":"LEAGUE_REGISTER_REQUEST"}`, yes, yes},
		{"broken", `{"message_type":"LEAGUE_REGISTER_REQUEST","data":{}}`, `7`, `7`},
	} {
		o, _ := open("mcp", c.body)
		if got := string(o.Answer(json.RawMessage("7"), json.RawMessage(c.message))); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	o := ParseCall("ping", nil)
	if got := string(o.Answer(nil, json.RawMessage(`{}`))); got != `{"id":null,"jsonrpc":"2.0","result":{}}` {
		t.Errorf("without an id: got %s", got)
	}
}

const sortedYes = `{"message_type":"LEAGUE_REGISTER_RESPONSE","player_id":"P01","status":"ACCEPTED"}`

// Our own agents understand every form that we offer to third-party agents.
func TestOurAgentsUnderstandEveryFormThatWeOffer(t *testing.T) {
	tried := map[string]bool{}
	for _, want := range examples(t) {
		typ := want.Head().MessageType
		if s, _ := protocol.Lookup(typ); s.Method == "" {
			continue
		}
		for _, row := range slices.Concat(notation.RowNames, []string{protocol.Canonical, ""}) {
			for _, form := range Candidates(notation.Dialect{Row: row}, typ) {
				_, other := protocol.Lookup(protocol.Type(form.Name))
				if form.Frame == "mcp" || form.Shape == "announcement" || other && form.Name != string(typ) {
					continue // one is no request of ours, the others are messages of another type to us
				}
				body, err := Frame(row, form, want, 1)
				if err != nil {
					t.Fatalf("%s as %s: %v", typ, form, err)
				}
				path := strings.TrimPrefix(form.Path, "/")
				if tried[path+" "+string(body)] { // rows have most forms in common
					continue
				}
				tried[path+" "+string(body)] = true
				o, ok := open(path, string(body))
				if !ok || !slices.Contains(o.Types(), typ) {
					t.Errorf("%s as %s: read as %v", typ, form, o.Types())
					continue
				}
				m, _, err := Read(o.Message, protocol.Reading{Type: typ, Now: arrival})
				if err != nil {
					t.Errorf("%s as %s: %v", typ, form, err)
					continue
				}
				if got, want := sorted(t, inOurWords(t, m)), sorted(t, inOurWords(t, want)); got != want {
					t.Errorf("%s as %s:\ngot  %s\nwant %s", typ, form, got, want)
				}
			}
		}
	}
}

// Our referee plays the match of an announcement that starts a match.
func TestOurRefereeUnderstandsAnAnnouncedMatch(t *testing.T) {
	start := *exampleOf(t, protocol.TypeStartMatch).(*protocol.StartMatch)
	start.RefereeID, start.RefereeEndpoint = "REF01", exRefereeURL
	body, err := Frame("A", notation.Form{Frame: "call", Name: "notify_round", Shape: "announcement"}, &start, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := open("mcp", string(body))
	m, _, err := Read(o.Message, protocol.Reading{Type: protocol.TypeRoundAnnouncement, Now: arrival})
	if err != nil {
		t.Fatal(err)
	}
	news := m.(*protocol.RoundAnnouncement)
	want := protocol.AnnouncedMatch{
		MatchID: "R1M1", GameType: exGame, PlayerAID: "P01", PlayerBID: "P02",
		RefereeID: "REF01", RefereeEndpoint: exRefereeURL,
		PlayerAEndpoint: exPlayer1URL, PlayerBEndpoint: exPlayer2URL, Attempt: 1,
	}
	if len(news.Matches) != 1 || news.Matches[0] != want || news.RoundID != 1 {
		t.Errorf("got %+v, want %+v", news.Matches, want)
	}
	if strings.Contains(string(body), start.DrawKey) {
		t.Error("the announcement tells the key of the draw")
	}
}

func FuzzParseBare(f *testing.F) {
	for _, body := range []string{
		`{"message_type":"LEAGUE_REGISTER_REQUEST","data":{"player_meta":{}}}`, `{"display_name":"x"}`,
		`{"message_type":"GAME_OVER","result":7,"payload":null}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"start_match","arguments":{"players":["a",{"id":1}],"player_A":""}}}`,
		`{"jsonrpc":"2.0","method":"handle_message","params":{"message":{"message_type":"START_MATCH","players":[null],"player_endpoints":{}}}}`,
		`{"message_type":"GAME_OVER","result":{"winner":"P01","details":[]}}`,
		`{"message_type":"START_MATCH","player_A":null}`,
	} {
		f.Add("register", []byte(body))
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		o, ok := open(path, string(body))
		if !ok {
			return
		}
		admitted := json.RawMessage(`{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED"}`)
		if answer := o.Answer(json.RawMessage("1"), admitted); !json.Valid(answer) {
			t.Fatalf("answered %s", answer)
		}
		for _, typ := range o.Types() {
			m, _, err := Read(o.Message, protocol.Reading{Type: typ, Now: arrival, Conversation: "conv"})
			if err == nil && m == nil {
				t.Fatalf("%s: read as nothing", typ)
			}
		}
	})
}
