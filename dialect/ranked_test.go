package dialect

import (
	"encoding/json"
	"os"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// register returns the known dialect of a point that has registered in its own form.
func (p point) register(t *testing.T) notation.Dialect {
	t.Helper()
	form := p.form(protocol.TypeLeagueRegisterRequest)
	body, err := Frame("", form, &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeLeagueRegisterRequest, Sender: "player:P01",
			Timestamp: "2026-11-15T02:08:46Z", ConversationID: "conv-1",
		},
		Meta: protocol.AgentMeta{DisplayName: "Bot", ContactEndpoint: "http://localhost:8101/mcp", Version: "1.0.0"},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := openAny(t, body)
	m, _, err := Read(o.Message, protocol.Reading{Type: protocol.TypeLeagueRegisterRequest})
	if r, ok := m.(*protocol.LeagueRegisterRequest); err != nil || !ok || r.Meta.DisplayName != "Bot" {
		t.Fatalf("%v: %s is read as %v, %v", p, body, m, err)
	}
	d, err := notation.Parse(o.Dialect())
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return d
}

func openAny(t *testing.T, body []byte) Request {
	t.Helper()
	f, _ := protocol.ParseFields(body)
	method, called := f.Text("method")
	switch {
	case called && f.Has("data"):
		return ParseBeside(method, f["data"])
	case called:
		return ParseCall(method, f["params"])
	}
	o, ok := ParseBare("mcp", body, f)
	if !ok {
		t.Fatalf("nothing is found in %s", body)
	}
	return o
}

// seek offers a message to a point until it is understood, and returns the form and how many were offered.
func (p point) seek(t *testing.T, d notation.Dialect, m protocol.Message) (found notation.Form, tries int, ok bool) {
	t.Helper()
	typ := m.Head().MessageType
	s := NewSearch(d, "http://localhost:8101/mcp", typ, nil)
	offered := map[notation.Form]bool{}
	for {
		form, more := s.Next()
		if !more {
			return found, tries, false
		}
		if tries++; tries > MaxCandidates || offered[form] {
			t.Fatalf("%v: %s is offered as number %d, twice %v", p, form, tries, offered[form])
		}
		offered[form] = true
		if form.Frame != "mcp" && form.Path == "" {
			body, err := Frame(d.Row, form, m, 1)
			if err != nil {
				t.Fatal(err)
			}
			if p.takes(body, typ) {
				return form, tries, true
			}
		}
		s.Refused(form, p.refusal(t))
	}
}

// TestEveryPointIsFoundFromItsRegistration covers all combinations of the axes. Each point is found within the limit,
// however it refuses unknown forms, and the form of a point with the most common names is tried first. Each point
// refuses in one of the ways, with LEAGUE_LONG=1 in all of them.
func TestEveryPointIsFoundFromItsRegistration(t *testing.T) {
	met, all := 0, os.Getenv("LEAGUE_LONG") != ""
	for way, r := range refusingWays {
		for i, p := range points(r) {
			if !all && i%len(refusingWays) != way {
				continue
			}
			d := p.register(t)
			met++
			for _, m := range asked {
				typ := m.Head().MessageType
				form, tries, ok := p.seek(t, d, m)
				if !ok {
					t.Fatalf("%+v, known as %q: %s is not understood in %d tries", p, d, typ, tries)
				}
				if p.nth == 0 && tries > 1 && !(p.frame == "tool" && firstTool(typ) != p.name(typ)) {
					t.Fatalf("%+v, known as %q: %s is understood after %d tries as %s, want at once", p, d, typ, tries, form)
				}
				d.Forms[typ] = form
			}
		}
	}
	if want := len(points(refusingWays[0])); met < want {
		t.Errorf("met %d points, want at least %d", met, want)
	}
}

// TestRefusalShowsWhatTheRegistrationDidNot tests points that register in canonical form, and whose refusals show the
// place or the name that they expect.
func TestRefusalShowsWhatTheRegistrationDidNot(t *testing.T) {
	for _, c := range []struct {
		point point
		says  string
		most  int
	}{
		{point{frame: "call", body: "data"}, `{"detail":[{"type":"missing","loc":["body","params","data"],"msg":"Field required"}]}`, 2},
		{point{frame: "call", body: "message"}, `{"error":{"code":-32602,"message":"missing 1 required positional argument: 'message'"}}`, 2},
		{point{frame: "call", body: "payload"}, `{"error":"'payload'"}`, 2},
		{point{frame: "call", body: "request"}, `{"error":{"code":-32000,"message":"params.request is required"}}`, 2},
		{point{frame: "call", spelling: camel}, `{"error":{"code":-32601,"message":"Unknown method. Known: notifyRound, ` +
			`handleGameInvitation, chooseParity, notifyMatchResult"}}`, 2},
		{point{frame: "call", spelling: kebab, nth: 1}, `{"error":"no such method, use announce-round, game-invitation, ` +
			`parity-choose or game-over"}`, 2},
		{point{frame: "message", one: "process_message"}, `{"error":"Unknown method: only process_message is supported"}`, 2},
	} {
		c.point.refuses = refusing{422, c.says}
		for _, m := range asked {
			d := notation.Dialect{Row: "A", Forms: map[protocol.Type]notation.Form{}}
			if form, tries, ok := c.point.seek(t, d, m); !ok || tries > c.most {
				t.Errorf("%+v: %s is understood %v after %d tries as %s, want at most %d", c.point, m.Head().MessageType, ok, tries,
					form, c.most)
			}
		}
	}
}

// firstTool returns the tool that is tried first for a message, in a spelling; row C has its own names.
func firstTool(t protocol.Type) string { return namesIn(rowOf("tool"), t, "").common[0].Name }

// TestFormOfTheRegistrationComesFirst checks the first form that is offered, for each message.
func TestFormOfTheRegistrationComesFirst(t *testing.T) {
	for _, p := range points(refusingWays[0]) {
		d := p.register(t)
		for _, typ := range []protocol.Type{
			protocol.TypeRoundAnnouncement, protocol.TypeGameInvitation, protocol.TypeGameOver, protocol.TypeStartMatch,
		} {
			got := Candidates(d, typ)[0]
			want := p.form(typ)
			if got.Frame != want.Frame || got.Body != want.Body || got.One != want.One ||
				hasShape(got.Shape, string(camel)) != p.camel || byName(got) && spellingOf(got.Name) != "" &&
				spellingOf(got.Name) != p.spelling {
				t.Fatalf("%+v, known as %q: %s is offered first as %s", p, d, typ, got)
			}
		}
	}
}

// TestAnswerGoesOutInTheFormOfTheRequest looks for the answer where the request had its message, and beside it.
func TestAnswerGoesOutInTheFormOfTheRequest(t *testing.T) {
	const answer = `{"message_type":"LEAGUE_REGISTER_RESPONSE","status":"ACCEPTED","player_id":"P01","auth_token":"tok"}`
	for request, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"LEAGUE_REGISTER_REQUEST","params":{"data":{"message_type":"LEAGUE_REGISTER_REQUEST"}},"id":1}`: "result.data.player_id",
		`{"jsonrpc":"2.0","method":"register","data":{"message_type":"LEAGUE_REGISTER_REQUEST"},"id":1}`:                           "result.data.player_id",
		`{"jsonrpc":"2.0","method":"registerPlayer","params":{"playerMeta":{"displayName":"Bot"}},"id":1}`:                         "result.playerId",
		`{"jsonrpc":"2.0","method":"register_player","params":{"payload":{"messageType":"LEAGUE_REGISTER_REQUEST"}},"id":1}`:       "result.payload.playerId",
		`{"message":{"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":{}}}`:                                                  "message.player_id",
		`{"jsonrpc":"2.0","method":"dispatch","params":{"message_type":"LEAGUE_REGISTER_REQUEST"},"id":1}`:                         "result.player_id",
	} {
		o := openAny(t, []byte(request))
		f, _ := protocol.ParseFields(o.Answer(json.RawMessage("1"), json.RawMessage(answer)))
		if got := textAt(f, want); got != "P01" {
			t.Errorf("%s: got %v, want the id at %s", request, f, want)
		}
	}
}
