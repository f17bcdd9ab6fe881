package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A puller is a foreign player that fetches its messages from a mailbox.
type puller struct {
	t    *testing.T
	base string // the address of the server

	ID       string `json:"id"`
	Secret   string `json:"secret"`
	Endpoint string `json:"contact_endpoint"`

	mu  sync.Mutex
	got []string // the messages that it received
}

// newPuller opens a mailbox.
func newPuller(t *testing.T, s *Server) *puller {
	p := &puller{t: t, base: s.Address()}
	status, text, _ := p.do(http.MethodPost, "/mailboxes", "", "")
	if err := json.Unmarshal([]byte(text), p); err != nil {
		t.Fatalf("status %d: %s", status, text)
	}
	return p
}

// do makes a request with a bearer token.
func (p *puller) do(method, path, token, body string) (status int, text string, h http.Header) {
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return 0, "", nil
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error(), nil // the test has ended
	}
	defer resp.Body.Close()
	out, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(out), resp.Header
}

// register registers under a name with an endpoint and a bearer token.
func (p *puller) register(name, endpoint, token string) string {
	_, text, _ := p.do(http.MethodPost, "/mcp", token, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"register_player","params":{
		"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":{"display_name":%q,"contact_endpoint":%q}}}`, name, endpoint))
	return text
}

// play answers all letters until the end of the test.
func (p *puller) play() {
	for p.t.Context().Err() == nil {
		status, body, h := p.do(http.MethodGet, "/mailboxes/"+p.ID+"/next", p.Secret, "")
		if status != http.StatusOK {
			continue
		}
		p.mu.Lock()
		p.got = append(p.got, body)
		p.mu.Unlock()
		var q struct{ ID json.RawMessage }
		_ = json.Unmarshal([]byte(body), &q)
		p.do(http.MethodPost, "/mailboxes/"+p.ID+"/answer/"+h.Get("Answer-To"), p.Secret,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"status":"ok","accept":true,"parity_choice":"even"}}`, q.ID))
	}
}

// received returns the first message of a type.
func (p *puller) received(kind protocol.Type) (found string) {
	rpctest.Eventually(p.t, string(kind), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.got {
			if strings.Contains(text, `"`+string(kind)+`"`) {
				found = text
			}
		}
		return found != ""
	})
	return found
}

// has reports whether the player received a message that contains a text.
func (p *puller) has(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(strings.Join(p.got, "\n"), text)
}

// idIn returns the id of the player with a mailbox.
func (p *puller) idIn(s *Server) (id string) {
	s.First.Manager.Read(func(st *league.State) {
		for _, a := range st.AtMailbox(p.ID) {
			id = a.ID
		}
	})
	return id
}

func TestMailboxBelongsToItsAgent(t *testing.T) {
	t.Parallel()
	s := openServer(t, "even_odd", []string{"random"}, 9)
	p, other := newPuller(t, s), newPuller(t, s)
	for _, c := range []struct{ endpoint, token, want string }{
		{p.Endpoint, "", "shows its key"},
		{p.Endpoint, other.Secret, "another mailbox"},
		{"http://localhost:1/leagues/x/agents/P01/mcp", p.Secret, "ACCEPTED"}, // of no manager here
	} {
		if text := p.register("Puller", c.endpoint, c.token); !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q, got %s", c.endpoint, c.want, text)
		}
	}
	port := s.base[strings.LastIndexByte(s.base, ':'):]
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		for _, path := range []string{"/leagues/" + s.First.ID() + "/agents/P01/mcp", "/k/x/mcp", "/mailboxes/x"} {
			if text := p.register("Puller", "http://"+name+port+path, p.Secret); !strings.Contains(text, "E024") {
				t.Errorf("%s%s as contact_endpoint: %s", name, path, text)
			}
		}
	}
	if text := p.register("Puller", p.Endpoint, p.Secret); !strings.Contains(text, "ACCEPTED") {
		t.Fatalf("its own mailbox: %s", text)
	}
	question := `{"jsonrpc":"2.0","id":1,"method":"league_query","params":{"message_type":"LEAGUE_QUERY","query_type":"GET_NEXT_MATCH"}}`
	if _, text, _ := p.do(http.MethodPost, "/mcp", p.Secret, question); strings.Contains(text, "E011") || strings.Contains(text, "E012") {
		t.Errorf("its query without a token: %s", text)
	}
	if _, text, _ := p.do(http.MethodPost, "/mcp", other.Secret, question); !strings.Contains(text, "E01") {
		t.Errorf("the query of another mailbox: %s", text)
	}
	if status, _, _ := p.do(http.MethodGet, "/mailboxes/"+p.ID+"/next", other.Secret, ""); status != http.StatusForbidden {
		t.Errorf("its letters with another secret: status %d", status)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address()+"/mailboxes", nil)
	r.Header.Set("Origin", "https://evil.example")
	if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin: %v, %v", resp, err)
	}
}

// The address at which referees reach an agent with a mailbox is no way in for others.
func TestOnlyRefereesReachAnAgentWithAMailbox(t *testing.T) {
	t.Parallel()
	s := openServer(t, "even_odd", []string{"random"}, 2)
	a, b := newPuller(t, s), newPuller(t, s)
	for name, p := range map[string]*puller{"Puller A": a, "Puller B": b} {
		if text := p.register(name, p.Endpoint, p.Secret); !strings.Contains(text, "ACCEPTED") {
			t.Fatal(text)
		}
		go p.play()
	}
	b.received(protocol.TypeGameOver)
	invitation := a.received(protocol.TypeGameInvitation)
	a.received(protocol.TypeLeagueCompleted)
	var m struct {
		Params struct {
			Token string `json:"auth_token"`
			Match string `json:"match_id"`
		}
	}
	if err := json.Unmarshal([]byte(invitation), &m); err != nil {
		t.Fatal(err)
	}
	marked := func(text, mark string) string {
		return strings.Replace(text, `"round_id"`, `"mark":"`+mark+`","round_id"`, 1)
	}
	at := func(p *puller) string { return "/leagues/" + s.First.ID() + "/agents/" + p.idIn(s) + "/mcp" }
	for _, c := range []struct {
		name string
		to   *puller
		body string
		want int
	}{
		{"no token", a, strings.Replace(invitation, m.Params.Token, "", 1), http.StatusForbidden},
		{"a false token", a, strings.Replace(invitation, m.Params.Token, m.Params.Token[:20]+"AAAAAAAAAAAAAAAAAAAAAAA", 1), http.StatusForbidden},
		{"the token of another player", b, invitation, http.StatusForbidden},
		{"the token of another match", a, strings.Replace(invitation, m.Params.Match, "R9M9", 1), http.StatusForbidden},
		{"a tool", a, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","round_id":1,"auth_token":"` + m.Params.Token + `","match_id":"` + m.Params.Match + `"}}`, http.StatusForbidden},
		{"a message of managers", a, strings.ReplaceAll(strings.Replace(invitation, "GAME_INVITATION", "LEAGUE_COMPLETED", 1), "handle_game_invitation", "notify_league_completed"), http.StatusForbidden},
		{"the referee", a, invitation, http.StatusOK},
	} {
		status, text, _ := a.do(http.MethodPost, at(c.to), "", marked(c.body, c.name))
		if status != c.want || c.to.has(c.name) != (c.want == http.StatusOK) {
			t.Errorf("%s: status %d, want %d; it arrived: %v: %s", c.name, status, c.want, c.to.has(c.name), text)
		}
	}
	if status, _, _ := a.do(http.MethodGet, at(a), "", ""); status == http.StatusOK {
		t.Error("GET is answered")
	}
}
