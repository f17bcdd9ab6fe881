package cli

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
)

// A kitManager is a manager that a test controls, for one kit. It uses the league, the match and the player of the
// protocol's examples.
type kitManager struct {
	t       *testing.T
	url     string
	own     *ecdh.PrivateKey
	created string // line 1 of its log
	seal    string
	later   string // manager_key of its challenges, if line 1 has none
	joined  chan object

	mu         sync.Mutex
	id         string
	epoch      int
	answers    []kitAnswer // to the next registrations; without one the kit is challenged and accepted
	asked      []object    // the registrations that came
	sent       bytes.Buffer
	key, agree string // public keys of the kit
}

// A kitAnswer handles a registration. It returns the HTTP body; nil cuts the connection.
type kitAnswer func(m *kitManager, p object) []byte

const (
	kitLeague  = "league_2025_even_odd"
	kitPlayer  = "P01"
	kitReferee = "REF01"
)

// newKitManager returns a manager that gives these answers to the first registrations.
func newKitManager(t *testing.T, answers ...kitAnswer) *kitManager {
	m := &kitManager{t: t, answers: answers, id: kitPlayer, epoch: 1, joined: make(chan object, 10)}
	m.own = protocol.AgreementKey([]byte("secret of " + t.Name()))
	m.create(protocol.AgreementPublic(m.own))
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	m.url = s.URL + "/mcp"
	return m
}

// create writes line 1 of the manager's log, with its key or without one.
func (m *kitManager) create(key string) {
	event := object{"league_id": kitLeague, "manager_key": key}
	if key == "" {
		event = object{"league_id": kitLeague}
	}
	line, _ := json.Marshal(object{"seq": 1, "events": []any{object{"kind": "LeagueCreated", "event": event}}, "name": m.t.Name()})
	m.created, m.seal = string(line), protocol.SHA256(string(line))
}

// token returns T of the place that the manager grants.
func (m *kitManager) token() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	public := protocol.AgreementPublic(m.own)
	token, err := protocol.Agreement{
		League: kitLeague, Seal: m.seal, Role: protocol.RolePlayer, ID: m.id, Epoch: m.epoch,
		ManagerKey: public, PublicKey: m.key, AgreementKey: m.agree,
	}.Token(m.own, m.agree)
	if err != nil {
		m.t.Error(err)
	}
	return token
}

// ServeHTTP takes a registration. It has no mailboxes.
func (m *kitManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/mailboxes") {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var request object
	if err := json.Unmarshal(body, &request); err != nil || request["method"] != "register_player" {
		m.t.Errorf("%s is no registration (%v)", body, err)
		return
	}
	p := asObject(request["params"])
	raw, _ := json.Marshal(p)
	fits(m.t, protocol.TypeLeagueRegisterRequest, raw)
	m.mu.Lock()
	m.asked = append(m.asked, p)
	m.sent.Write(body)
	m.key, _ = asObject(p["player_meta"])["public_key"].(string)
	m.agree, _ = asObject(p["player_meta"])["agreement_key"].(string)
	answer := kitAnswer((*kitManager).accepts)
	if len(m.answers) > 0 {
		answer, m.answers = m.answers[0], m.answers[1:]
	}
	m.mu.Unlock()
	reply := answer(m, p)
	if reply == nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(reply)
}

// registrations returns how many came.
func (m *kitManager) registrations() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// accepts challenges the kit and accepts it, as every manager of ours does.
func (m *kitManager) accepts(p object) []byte {
	m.challenges(p)
	m.joined <- p
	return m.authenticated(p, m.response(p, nil))
}

// response returns the answer to a registration, with some members changed.
func (m *kitManager) response(p, change object) object {
	r := object{
		"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_RESPONSE", "sender": "league_manager", "timestamp": "2025-01-15T10:00:06Z",
		"conversation_id": p["conversation_id"], "status": "ACCEPTED", "auth_token": nil, "league_id": kitLeague, "player_id": m.id,
		"reason": nil, "match_tokens": true, "seal": m.seal,
	}
	for k, v := range change {
		r[k] = v
	}
	return r
}

// rejection is the answer to a registration that is refused.
func (m *kitManager) rejection(p, change object) object {
	r := m.response(p, object{"status": "REJECTED", "player_id": nil, "league_id": nil, "reason": "P01 registered with another key", "error_code": "E022"})
	for k, v := range change {
		r[k] = v
	}
	return r
}

// framed returns an answer as it is sent.
func framed(result any) []byte {
	answer, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "result": result})
	return answer
}

// authenticated returns an answer with the MAC that only this manager can make.
func (m *kitManager) authenticated(p, result object) []byte {
	raw, _ := json.Marshal(result)
	message, _, err := protocol.Decode(raw, protocol.Reading{Type: protocol.TypeLeagueRegisterResponse, Reply: true})
	if err != nil {
		m.t.Error(err)
		return nil
	}
	c := protocol.Credential{Token: m.token(), LeagueID: kitLeague, AgentID: m.id}
	c.SignAnswer(message, p["conversation_id"].(string))
	text, err := protocol.Encode(message)
	if err != nil {
		m.t.Error(err)
	}
	// The signature covers the exact text: white space around it, and a decoy before it, do not matter.
	return fmt.Appendf(nil, "{ \"jsonrpc\":\"2.0\", \"id\":1,\n \"decoy\":[{\"result\":\"\\\"}\"}], \"result\" :\t%s \n}", text)
}

// challenge calls welcome of the kit, with some members changed. It returns the answer, or the error code of a refusal.
func (m *kitManager) challenge(p, change object) (ack *protocol.WelcomeAck, code string) {
	endpoint, _ := asObject(p["player_meta"])["contact_endpoint"].(string)
	return m.challengeAt(endpoint, p, change)
}

func (m *kitManager) challengeAt(endpoint string, p, change object) (ack *protocol.WelcomeAck, code string) {
	w := object{
		"protocol": "league.v2", "message_type": "WELCOME", "sender": "league_manager", "timestamp": "2025-01-15T10:00:05Z",
		"conversation_id": p["conversation_id"], "league_id": kitLeague, "manager": strings.Replace(m.url, "127.0.0.1", "localhost", 1),
		"created": m.created, "id": m.id, "epoch": m.epoch, "endpoint": endpoint, "nonce": "4d1a77c09be85f23",
	}
	if m.later != "" {
		w["manager_key"] = m.later
	}
	for k, v := range change {
		if w[k] = v; v == nil {
			delete(w, k)
		}
	}
	body, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "welcome", "params": w, "id": 1})
	resp, err := http.Post(endpoint, "application/json", bytes.NewReader(body))
	if err != nil {
		m.t.Errorf("welcome: %v", err)
		return nil, ""
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	var got struct {
		Result *protocol.WelcomeAck
		Error  struct {
			Code string `json:"error_code"`
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		m.t.Errorf("a challenge is answered with %s: %v", answer, err)
	}
	m.mu.Lock()
	m.sent.Write(answer)
	m.mu.Unlock()
	if got.Result != nil && change == nil {
		raw, _ := json.Marshal(got.Result)
		fits(m.t, protocol.TypeWelcomeAck, raw)
		m.checkAck(w, got.Result)
	}
	return got.Result, got.Error.Code
}

// checkAck checks signature and confirmation of a challenge's answer.
func (m *kitManager) checkAck(w object, ack *protocol.WelcomeAck) {
	text := protocol.Challenge{
		Manager: w["manager"].(string), Seal: m.seal, ManagerKey: protocol.AgreementPublic(m.own), Role: protocol.RolePlayer, ID: m.id, Epoch: m.epoch,
		Endpoint: w["endpoint"].(string), Nonce: w["nonce"].(string), AgentNonce: ack.Nonce, AgreementKey: m.agree,
	}.Text()
	if err := protocol.CheckSignature(m.publicKey(), text, ack.Signature); err != nil || len(ack.Nonce) != 32 {
		m.t.Errorf("the challenge is answered with %+v: %v", ack, err)
	}
	if want := protocol.Confirm(m.token(), text); ack.Confirm != want {
		m.t.Errorf("confirm = %s, want %s", ack.Confirm, want)
	}
}

// challenges grants the kit its place, after challenges that it must refuse.
func (m *kitManager) challenges(p object) {
	port := m.url[strings.LastIndex(m.url, ":"):]
	line := func(key string) string {
		return strings.Replace(m.created, protocol.AgreementPublic(m.own), key, 1)
	}
	for what, c := range map[string]struct {
		change object
		code   string
	}{
		"another conversation": {object{"conversation_id": "conv-player-kit-reg-000000000000000000000000"}, "E007"},
		"another port":         {object{"manager": "http://127.0.0.1:1/mcp"}, "E012"},
		"another host":         {object{"manager": "http://192.0.2.1" + port}, "E012"},
		"another scheme":       {object{"manager": "https://127.0.0.1" + port}, "E012"},
		"another path":         {object{"manager": "http://127.0.0.1" + strings.Replace(port, "/mcp", "/other/mcp", 1)}, "E012"},
		"another endpoint":     {object{"endpoint": "http://127.0.0.1:1/mcp"}, "E012"},
		"another spelling":     {object{"endpoint": strings.Replace(fmt.Sprint(asObject(p["player_meta"])["contact_endpoint"]), "127.0.0.1", "localhost", 1)}, "E012"},
		"an older version":     {object{"created": nil, "token": "tok_player_P01_x", "seal": m.seal}, "E003"},
		"no line":              {object{"created": "{}"}, "E002"},
		"another event":        {object{"created": strings.Replace(m.created, "LeagueCreated", "LeagueStarted", 1)}, "E002"},
		"no epoch":             {object{"epoch": 0}, "E002"},
		"half an epoch":        {object{"epoch": 1.5}, "E002"},
		"no id":                {object{"id": ""}, "E002"},
		"two lines":            {object{"id": "P01\n1"}, "E002"},
		"a key of small order": {object{"created": line(strings.Repeat("0", 64))}, "E012"},
		"another key":          {object{"manager_key": protocol.SHA256("another")}, "E012"},
		"a short key":          {object{"created": line("abcd")}, "E002"},
	} {
		if m.later != "" && strings.Contains(what, "key") {
			continue
		}
		if ack, code := m.challenge(p, c.change); ack != nil || code != c.code {
			m.t.Errorf("a challenge with %s: got %+v %s, want %s", what, ack, code, c.code)
		}
	}
	if ack, code := m.challenge(p, nil); ack == nil {
		m.t.Errorf("the challenge is refused with %s", code)
	}
}

// says returns one of the protocol's examples as a message of this manager, with L.
func (m *kitManager) says(file string, change object) object {
	request := example(m.t, file, change)
	p := asObject(request["params"])
	p["auth_token"] = m.l(p["message_type"], p["round_id"])
	return request
}

func (m *kitManager) l(kind, round any) string {
	number, _ := round.(float64)
	return protocol.ManagerToken(m.token(), kitLeague, protocol.Type(kind.(string)), protocol.Round(number))
}

// referees returns one of the protocol's examples as a message of this manager's referee, with M.
func (m *kitManager) referees(file string, change object) object {
	request := example(m.t, file, change)
	p := asObject(request["params"])
	attempt, _ := p["attempt"].(float64)
	p["player_id"], p["auth_token"] = m.id, protocol.MatchToken(m.token(), kitLeague, p["match_id"].(string), int(attempt), kitReferee)
	return request
}

// signed holds the proof of an answer against all answers that the kit has given in a match.
func (m *kitManager) signed(match, head string, answer object, said ...protocol.SignedAnswer) {
	m.t.Helper()
	proof := asObject(answer["proof"])
	signature, _ := proof["signature"].(string)
	invitation := asObject(example(m.t, "game-flow/game_start.json", nil)["params"])
	commitment, _ := asObject(invitation["fairness"])["commitment"].(string)
	b := protocol.AnswerContext{Seal: m.seal, Match: match, Attempt: 1, Referee: kitReferee, Player: kitPlayer, Commitment: commitment}
	err := protocol.SignedAnswers{Head: head, Answers: said, Signature: signature}.Check(b, m.publicKey())
	if err != nil || proof["head"] != head || proof["move"] != said[len(said)-1].Move {
		m.t.Errorf("%s: the proof %v does not fit: %v", match, proof, err)
	}
}

// publicKey returns the public key that identifies the kit.
func (m *kitManager) publicKey() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.key
}

// withoutToken fails if the kit has sent or stored T, as text, base64 or hexadecimal.
func (m *kitManager) withoutToken(texts ...[]byte) {
	m.t.Helper()
	token := m.token()
	_, secret, _ := strings.Cut(strings.TrimPrefix(token, "tok_player_"), "_")
	raw, _ := base64.RawURLEncoding.DecodeString(secret)
	m.mu.Lock()
	texts = append(texts, m.sent.Bytes())
	m.mu.Unlock()
	for _, text := range texts {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString(raw), hex.EncodeToString(raw), base64.RawURLEncoding.EncodeToString([]byte(token))} {
			if bytes.Contains(text, []byte(form)) {
				m.t.Errorf("the kit has sent or stored its token:\n%s", text)
			}
		}
	}
}
