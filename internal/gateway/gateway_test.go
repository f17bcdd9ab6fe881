package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/internal/gateway"
	"agentleague/mailbox"
)

const invitation = `{"jsonrpc":"2.0","id":7,"method":"handle_game_invitation","params":{"protocol":"league.v2",` +
	`"message_type":"GAME_INVITATION","sender":"referee:REF01","conversation_id":"conv-1","match_id":"R1M1",` +
	`"callback":"http://192.0.2.1:8001/mcp"}}`

// newGateway returns a gateway for an agent with a handler, served at its own address. Sent receives the messages that
// it passes on.
func newGateway(t *testing.T, agent http.HandlerFunc) (g *gateway.Gateway, sent chan string) {
	t.Helper()
	a := httptest.NewServer(agent)
	t.Cleanup(a.Close)
	g, sent = gateway.New(a.URL+"/mcp"), make(chan string, 10)
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	g.Own, g.Mailbox = s.URL+"/mcp", "mailbox:0123"
	g.Send = func(_ context.Context, body []byte) (mailbox.Answer, error) {
		sent <- string(body)
		return mailbox.Answer{Body: []byte(`{"jsonrpc":"2.0","id":1,"result":{"status":"ACCEPTED","referee_endpoint":"http://192.0.2.1:8001/mcp"}}`)}, nil
	}
	return g, sent
}

// post sends a message of the agent to its gateway.
func post(t *testing.T, url, body string, header ...string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.Status + " " + string(text)
}

func TestDirectAnswerIsPassedOnAndAddressesAreTheGateways(t *testing.T) {
	t.Parallel()
	const answer = `{"jsonrpc":"2.0","id":7,"result":{"message_type":"GAME_JOIN_ACK","accept":true,"match_id":"R1M1"}}`
	got := make(chan string, 1)
	g, _ := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
		_, _ = io.WriteString(w, answer)
	})
	a := g.Deliver(t.Context(), []byte(invitation))
	if string(a.Body) != answer || a.Error != "" {
		t.Errorf("got %q, %q, want %q", a.Body, a.Error, answer)
	}
	if body := <-got; body != strings.Replace(invitation, "http://192.0.2.1:8001/mcp", g.Own, 1) {
		t.Errorf("the agent got %s", body)
	}
}

func TestCallbackIsTheAnswerOfItsLetter(t *testing.T) {
	t.Parallel()
	for name, callback := range map[string]string{
		"conversation": `{"jsonrpc":"2.0","id":1,"method":"GAME_JOIN_ACK","params":{"message_type":"GAME_JOIN_ACK","conversation_id":"conv-1","accept":true}}`,
		"match":        `{"message_type":"GAME_JOIN_ACK","match_id":"R1M1","accept":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := make(chan string, 1)
			g, _ := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
				var m struct{ Params struct{ Callback string } }
				_ = json.NewDecoder(r.Body).Decode(&m)
				calls <- m.Params.Callback
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{"status":"received"}}`)
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			done := make(chan mailbox.Answer)
			go func() { done <- g.Deliver(ctx, []byte(invitation)) }()
			if answer := post(t, <-calls, callback); !strings.HasPrefix(answer, "200") || strings.Contains(answer, `"error"`) {
				t.Errorf("the callback is answered %s", answer)
			}
			var answer struct {
				ID     int
				Result json.RawMessage
			}
			if a := <-done; json.Unmarshal(a.Body, &answer) != nil || answer.ID != 7 || string(answer.Result) != callback {
				t.Errorf("got %s, want the callback as the result", a.Body)
			}
		})
	}
}

func TestRegistrationNamesTheMailbox(t *testing.T) {
	t.Parallel()
	g, sent := newGateway(t, nil)
	answer := post(t, g.Own, `{"jsonrpc":"2.0","id":1,"method":"register_player","params":{"player_meta":`+
		`{"display_name":"A","contact_endpoint":"http:\/\/localhost:8101\/mcp"}}}`)
	if body := <-sent; !strings.Contains(body, `"contact_endpoint":"mailbox:0123"`) {
		t.Errorf("passed on: %s", body)
	}
	if !strings.Contains(answer, `"referee_endpoint":"`+g.Own+`"`) {
		t.Errorf("the agent got %s", answer)
	}
}

func TestGatewayRefusesWhatIsNotItsAgents(t *testing.T) {
	t.Parallel()
	g, sent := newGateway(t, nil)
	const register = `{"jsonrpc":"2.0","id":1,"method":"register_player","params":{"player_meta":{"display_name":"A"}}}`
	for _, c := range []struct {
		name, body string
		header     []string
		want       string
	}{
		{"a page of another origin", register, []string{"Origin", "http://localhost:3000"}, "403"},
		{"an order of the admin", `{"jsonrpc":"2.0","id":1,"method":"start_league","params":{}}`, nil, "passes on registrations"},
		{"a message of a referee", invitation, nil, "passes on registrations"},
		{"no message", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, nil, "passes on registrations"},
		{"a native agent", `{"jsonrpc":"2.0","id":1,"method":"register_player","params":{"player_meta":{"public_key":"k","agreement_key":"a"}}}`,
			nil, "start it with the address of the manager"},
	} {
		if got := post(t, g.Own, c.body, c.header...); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %q", c.name, got, c.want)
		}
	}
	select {
	case body := <-sent:
		t.Errorf("passed on: %s", body)
	default:
	}
}
