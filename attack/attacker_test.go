package attack_test

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A message is forged JSON.
type message = map[string]any

// forged writes a message with all that it has to begin with in strict mode.
func forged(t protocol.Type, sender, token string, more message) message {
	m := message{
		"protocol": protocol.Version, "message_type": string(t), "sender": sender, "timestamp": protocol.Stamp(time.Now()),
		"conversation_id": "conv-forged-" + fmt.Sprint(time.Now().UnixNano()), "league_id": leagueID,
	}
	if token != "" {
		m["auth_token"] = token
	}
	maps.Copy(m, more)
	return m
}

// stolen authenticates a message with a stolen T.
func stolen(t testing.TB, token string, m message) message {
	t.Helper()
	m["auth_token"] = ""
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	_, id := protocol.ParseSender(protocol.TokenOwner(token))
	match, _ := m["match_id"].(string)
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(mac, strings.Join([]string{"agent", leagueID, m["message_type"].(string), match,
		m["conversation_id"].(string), protocol.SHA256(string(text))}, "\n"))
	m["auth_token"] = "tok_agent_" + id + "_" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	return m
}

// question sends the manager a query that only agents of the league may send.
func question(sender, token, what string) message {
	return forged(protocol.TypeLeagueQuery, sender, token, message{"query_type": what, "query_params": message{}})
}

// An answer is the response to an attacker.
type answer struct {
	Status  string `json:"status"`
	Code    string `json:"error_code"`
	Token   string `json:"auth_token"`
	Player  string `json:"player_id"`
	Referee string `json:"referee_id"`
	Readmit string `json:"readmit_code"`
	Reason  string `json:"reason"`
	text    string // all of it
}

func (a answer) id() string { return a.Player + a.Referee }

// post sends a message to an endpoint, from this machine.
func post(t testing.TB, url string, m message) answer {
	t.Helper()
	return postFrom(t, "", url, m)
}

// postFrom sends a message to an endpoint, over a connection from an address.
func postFrom(t testing.TB, from, url string, m message) answer {
	t.Helper()
	spec, _ := protocol.Lookup(protocol.Type(m["message_type"].(string)))
	body, err := json.Marshal(message{"jsonrpc": "2.0", "id": 1, "method": spec.Method, "params": m})
	if err != nil {
		t.Fatal(err)
	}
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
		url = strings.Replace(url, "localhost", "127.0.0.1", 1)
	}
	client := &http.Client{Timeout: rpctest.Patience, Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	resp, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s to %s: %v", spec.Method, url, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, text)
}

// read parses an answer, which is a result or an error.
func read(t testing.TB, text []byte) (out answer) {
	t.Helper()
	var reply struct {
		Result json.RawMessage
		Error  struct{ Data json.RawMessage }
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, part := range []json.RawMessage{reply.Result, reply.Error.Data} {
		_ = json.Unmarshal(part, &out) // one of the two is not there
	}
	out.text = string(text)
	if strings.HasPrefix(out.Token, "tok_manager_") { // it authenticates the answer, and is good for nothing else
		out.Token = ""
	}
	return out
}

// A registration holds the claims of an agent that registers.
type registration struct {
	role           protocol.Role
	name, endpoint string
	key, token, id string
	capacity       int
	swapped        bool   // the agreement key is the attacker's own
	keyed          string // the join key in the address
	from           string // the address that it calls from; "": this machine's usual one
	to             string // the address that it calls; "": the arena's manager
}

// agreementOf returns the agreement key of a registration. For the public key of another agent it is the agreement key
// of that agent, unless it is swapped.
func (a *arena) agreementOf(r registration) string {
	if known := a.state().ByKey(r.role, r.key); known != nil && !r.swapped {
		return known.AgreementKey
	}
	return protocol.AgreementPublic(protocol.AgreementKey([]byte(r.key)))
}

// register sends a registration.
func (a *arena) register(r registration) answer {
	a.t.Helper()
	kind := protocol.TypeLeagueRegisterRequest
	if r.role == "" {
		r.role = protocol.RolePlayer
	}
	if r.role == protocol.RoleReferee {
		kind = protocol.TypeRefereeRegisterRequest
	}
	meta := message{
		"display_name": r.name, "version": "1.0.0", "protocol_version": "2.0.0", "game_types": []string{"even_odd"},
		"contact_endpoint": r.endpoint, "max_concurrent_matches": max(r.capacity, 1),
	}
	if r.key != "" {
		meta["public_key"], meta["match_tokens"], meta["agreement_key"] = r.key, true, a.agreementOf(r)
	}
	sender := r.id
	if sender == "" {
		sender = strings.ToLower(strings.ReplaceAll(r.name, " ", "-"))
	}
	m := forged(kind, string(r.role)+":"+sender, r.token, message{string(r.role) + "_meta": meta})
	delete(m, "league_id")
	url := cmp.Or(r.to, a.url)
	if r.keyed != "" {
		url = strings.TrimSuffix(url, "/mcp") + "/k/" + r.keyed + "/mcp"
	}
	return postFrom(a.t, r.from, url, m)
}

// A stranger is a third-party agent: it answers every request and supports neither keys nor signatures.
type stranger struct {
	url    string
	server *httptest.Server
	choice string
	name   string              // its id, as its answers show it
	gate   chan struct{}       // closed: it answers calls for a choice
	orders chan map[string]any // START_MATCH

	mu    sync.Mutex
	heard []message
}

// newStranger listens at a port, 0 for a free one, until the test ends.
func newStranger(t testing.TB, port int, choice string) *stranger {
	t.Helper()
	return newStrangerWith(t, port, choice, http.Handler.ServeHTTP)
}

// newStrangerWith starts a stranger with another handler before its own.
func newStrangerWith(t testing.TB, port int, choice string, h func(own http.Handler, w http.ResponseWriter, r *http.Request)) *stranger {
	t.Helper()
	s := &stranger{choice: choice, gate: make(chan struct{}), orders: make(chan map[string]any, 64)}
	close(s.gate)
	var l net.Listener
	rpctest.Eventually(t, fmt.Sprintf("port %d is free", port), func() (free bool) { // the previous owner of the port may still be terminating
		var err error
		l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		return err == nil
	})
	s.server = &httptest.Server{Listener: l, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h(s, w, r) }),
	}}
	s.server.Start()
	s.url = fmt.Sprintf("http://localhost:%d/mcp", l.Addr().(*net.TCPAddr).Port)
	t.Cleanup(s.server.Close)
	return s
}

// hold makes the agent withhold its answers to calls for a choice until release is called.
func (s *stranger) hold() (release func()) {
	gate := make(chan struct{})
	s.mu.Lock()
	s.gate = gate
	s.mu.Unlock()
	return sync.OnceFunc(func() { close(gate) })
}

// ServeHTTP answers a call like an agent that supports only the messages.
func (s *stranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params message         `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&call)
	s.mu.Lock()
	s.heard = append(s.heard, call.Params)
	gate, name := s.gate, s.name
	s.mu.Unlock()
	kind, _ := call.Params["message_type"].(string)
	reply := message{
		"protocol": protocol.Version, "message_type": kind + "_ACK", "sender": "player:" + name,
		"timestamp":       protocol.Stamp(time.Now()),
		"conversation_id": call.Params["conversation_id"], "status": "ACKNOWLEDGED", "player_id": name,
	}
	if token, ok := call.Params["auth_token"]; ok {
		reply["auth_token"] = token
	}
	for _, k := range []string{"match_id", "round_id", "league_id"} {
		if v, ok := call.Params[k]; ok {
			reply[k] = v
		}
	}
	switch protocol.Type(kind) {
	case protocol.TypeGameInvitation:
		reply["message_type"], reply["accept"], reply["arrival_timestamp"] = "GAME_JOIN_ACK", true, protocol.Stamp(time.Now())
	case protocol.TypeChooseParityCall:
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
		reply["message_type"], reply["parity_choice"] = "CHOOSE_PARITY_RESPONSE", s.choice
	case protocol.TypeStartMatch:
		reply["status"] = protocol.Accepted
		s.orders <- call.Params
	case protocol.TypePing:
		reply["message_type"], reply["status"], reply["agent"] = "PONG", "ok", reply["sender"]
	case protocol.TypeWelcome, protocol.TypeIdentify:
		_ = json.NewEncoder(w).Encode(message{
			"jsonrpc": "2.0", "id": call.ID, "error": message{"code": -32601, "message": "Method not found"},
		})
		return
	}
	_ = json.NewEncoder(w).Encode(message{"jsonrpc": "2.0", "id": call.ID, "result": reply})
}

// was returns the received messages of a type.
func (s *stranger) was(kind protocol.Type) (out []message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.heard {
		if m["message_type"] == string(kind) {
			out = append(out, m)
		}
	}
	return out
}

// is gives it the id that its answers show.
func (s *stranger) is(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = id
}

// join registers the stranger as itself.
func (s *stranger) join(a *arena, role protocol.Role, name string) answer {
	a.t.Helper()
	got := a.register(registration{role: role, name: name, endpoint: s.url})
	if got.Status != protocol.Accepted {
		a.t.Fatalf("%s was not let in: %s", name, got.text)
	}
	s.is(got.id())
	return got
}

// elsewhere returns a non-loopback address of this machine. A request from it counts as one from another machine for
// agents that identify their peers by loopback. Without such an address the test is skipped.
func elsewhere(t testing.TB) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	t.Skip("this machine has no address besides its loopback")
	return ""
}
