package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
)

// A kitManager is a manager that does to one kit what its test wants. It speaks
// of the league, the match and the player of the protocol's own examples.
type kitManager struct {
	t      *testing.T
	url    string
	seal   string
	token  string // T of the player
	joined chan object

	refusals int // so many registrations are refused with a code

	mu    sync.Mutex
	asked []object // the registrations that came
	key   string   // the kit's public key
}

const (
	kitLeague  = "league_2025_even_odd"
	kitPlayer  = "P01"
	kitReferee = "REF01"
)

// newKitManager is one that refuses the first registrations, so many.
func newKitManager(t *testing.T, refusals int) *kitManager {
	m := &kitManager{t: t, refusals: refusals, seal: protocol.SHA256("the first line"), token: "tok_player_P01_of-this-test", joined: make(chan object, 10)}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	m.url = s.URL + "/mcp"
	return m
}

// ServeHTTP takes a registration: it is refused, or welcomed at its endpoint and accepted.
func (m *kitManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request object
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request["method"] != "register_player" {
		m.t.Errorf("%v is no registration (%v)", request, err)
		return
	}
	p := asObject(request["params"])
	m.mu.Lock()
	m.asked = append(m.asked, p)
	m.key, _ = asObject(p["player_meta"])["public_key"].(string)
	refused := len(m.asked) <= m.refusals
	m.mu.Unlock()
	raw, _ := json.Marshal(p)
	fits(m.t, protocol.TypeLeagueRegisterRequest, raw)
	result := object{
		"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_RESPONSE", "sender": "league_manager", "timestamp": "2025-01-15T10:00:06Z",
		"conversation_id": p["conversation_id"], "status": "ACCEPTED", "auth_token": nil, "league_id": kitLeague, "player_id": kitPlayer,
		"reason": nil, "match_tokens": true, "seal": m.seal,
	}
	if refused {
		result["status"], result["player_id"], result["league_id"] = "REJECTED", nil, nil
		result["reason"], result["readmit_code"], result["error_code"] = "P01 registered with another key", "KRTM", "E022"
	} else {
		m.welcomes(p)
	}
	answer, _ := json.Marshal(object{"jsonrpc": "2.0", "id": request["id"], "result": result})
	_, _ = w.Write(answer)
	if !refused {
		m.joined <- p
	}
}

// welcomes gives the place to the kit, after others have tried to.
func (m *kitManager) welcomes(p object) {
	meta := asObject(p["player_meta"])
	endpoint, _ := meta["contact_endpoint"].(string)
	for _, c := range []struct {
		conversation any
		manager      string
		taken        bool
	}{
		{"conv-player-kit-reg-000000000000000000000000", m.url, false},
		{p["conversation_id"], "http://127.0.0.1:1/mcp", false},
		{p["conversation_id"], "http://192.0.2.1" + strings.TrimPrefix(m.url, "http://127.0.0.1"), false},
		{p["conversation_id"], strings.Replace(m.url, "127.0.0.1", "localhost", 1), true},
	} {
		w := object{
			"protocol": "league.v2", "message_type": "WELCOME", "sender": "league_manager", "timestamp": "2025-01-15T10:00:05Z",
			"conversation_id": c.conversation, "league_id": kitLeague, "manager": c.manager, "seal": m.seal, "id": kitPlayer, "token": m.token,
		}
		body, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "welcome", "params": w, "id": 1})
		resp, err := http.Post(endpoint, "application/json", strings.NewReader(string(body)))
		if err != nil {
			m.t.Errorf("welcome: %v", err)
			return
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var got struct {
			Result *protocol.WelcomeAck
			Error  json.RawMessage
		}
		if err := json.Unmarshal(answer, &got); err != nil || (got.Result != nil) != c.taken {
			m.t.Errorf("a welcome of %s by %s: got %s", c.conversation, c.manager, answer)
			continue
		}
		if c.taken {
			text := protocol.WelcomeText(c.manager, m.seal, kitPlayer, endpoint, got.Result.Nonce, protocol.SHA256(m.token))
			if err := protocol.CheckSignature(m.publicKey(), text, got.Result.Signature); err != nil {
				m.t.Errorf("the welcome is answered with %s: %v", answer, err)
			}
		}
	}
}

// says is one of the protocol's examples as this manager says it, with L.
func (m *kitManager) says(file string, change object) object {
	request := example(m.t, file, change)
	p := asObject(request["params"])
	p["auth_token"] = m.l(p["message_type"], p["round_id"])
	return request
}

func (m *kitManager) l(kind, round any) string {
	number, _ := round.(float64)
	return protocol.ManagerToken(m.token, kitLeague, protocol.Type(kind.(string)), protocol.Round(number))
}

// referees is one of the protocol's examples as a referee of this manager says it, with M.
func (m *kitManager) referees(file string, change object) object {
	request := example(m.t, file, change)
	p := asObject(request["params"])
	attempt, _ := p["attempt"].(float64)
	p["player_id"], p["auth_token"] = kitPlayer, protocol.MatchToken(m.token, kitLeague, p["match_id"].(string), int(attempt), kitReferee)
	return request
}

// signed holds the proof of an answer against all answers that the kit has given in a match.
func (m *kitManager) signed(match, head string, answer object, said ...protocol.SignedAnswer) {
	m.t.Helper()
	proof := asObject(answer["proof"])
	signature, _ := proof["signature"].(string)
	invitation := asObject(example(m.t, "game-flow/game_start.json", nil)["params"])
	commitment, _ := asObject(invitation["fairness"])["commitment"].(string)
	b := protocol.Bout{Seal: m.seal, Match: match, Attempt: 1, Referee: kitReferee, Player: kitPlayer, Commitment: commitment}
	err := protocol.SignedAnswers{Head: head, Answers: said, Signature: signature}.Check(b, m.publicKey())
	if err != nil || proof["head"] != head || proof["move"] != said[len(said)-1].Move {
		m.t.Errorf("%s: the proof %v does not fit: %v", match, proof, err)
	}
}

// publicKey is what the kit is known by.
func (m *kitManager) publicKey() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.key
}
