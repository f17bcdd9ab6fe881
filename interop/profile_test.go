package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentleague/dialect/profile"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A studentPlayer is a player that follows one document, and does no more than the document asks for.
type studentPlayer struct {
	meta     object                                               // further members of player_meta
	register object                                               // further members of its registration; nil: it sends player_meta alone
	status   string                                               // of its admission
	methods  map[string]func(params, mine object) (result object) // those that the document has
	wraps    bool                                                 // its answers are JSON-RPC answers
}

// A student's answers to the three calls of a match.
func joins(more func(params, mine object) object) func(params, mine object) object {
	return func(p, mine object) object {
		return with(object{"message_type": "GAME_JOIN_ACK", "match_id": p["match_id"]}, more(p, mine))
	}
}

func chooses(more func(params, mine object) object) func(params, mine object) object {
	return func(p, mine object) object {
		return with(object{"message_type": "CHOOSE_PARITY_RESPONSE", "match_id": p["match_id"], "parity_choice": "even"}, more(p, mine))
	}
}

func acks(t protocol.Type, ids ...string) func(params, mine object) object {
	return func(p, mine object) object {
		out := object{"protocol": "league.v2", "message_type": t, "timestamp": stamp(), "status": "ACKNOWLEDGED", "player_id": mine["player_id"]}
		for _, id := range ids {
			out[id] = p[id]
		}
		return out
	}
}

func with(o, more object) object {
	for k, v := range more {
		o[k] = v
	}
	return o
}

func stamp() string { return "2026-11-15T10:00:00Z" }

// signs returns the envelope of an answer that has the player's own token.
func signs(p, mine object) object {
	return object{"protocol": "league.v2", "sender": fmt.Sprint("player:", mine["player_id"]), "timestamp": stamp(),
		"conversation_id": p["conversation_id"], "auth_token": mine["auth_token"]}
}

var registers = object{"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "timestamp": stamp(), "conversation_id": "uuid"}

// students has a player for each profile.
var students = map[string]studentPlayer{
	// Sections 5.3.2 and 5.11.1: three methods, answers without JSON-RPC and without an envelope, local time.
	"assignment": {
		register: object{"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:Student"}, status: "ACCEPTED",
		methods: map[string]func(params, mine object) object{
			"handle_game_invitation": joins(func(object, object) object {
				return object{"arrival_timestamp": "2026-11-15T10:00:00.123456", "accept": true}
			}),
			"choose_parity":       chooses(func(p, _ object) object { return object{"player_id": p["player_id"]} }),
			"notify_match_result": func(object, object) object { return object{"status": "ok"} },
		},
	},
	// Sections 2.2, 3 and 4: every message has an answer, and the question for a choice is parity_choose.
	"contracts": {
		register: with(object{"sender": "player:alpha"}, registers), status: "ACCEPTED", wraps: true,
		methods: map[string]func(params, mine object) object{
			"handle_game_invitation": joins(func(p, mine object) object {
				return with(object{"player_id": mine["player_id"], "arrival_timestamp": stamp(), "accept": true}, signs(p, mine))
			}),
			"parity_choose": chooses(func(p, mine object) object {
				return with(object{"player_id": mine["player_id"]}, signs(p, mine))
			}),
			"notify_match_result":     acks(protocol.TypeGameOverAck, "match_id"),
			"notify_game_error":       acks(protocol.TypeGameErrorAck, "match_id"),
			"notify_round":            acks(protocol.TypeRoundAnnouncementAck, "round_id"),
			"update_standings":        acks(protocol.TypeStandingsUpdateAck, "round_id"),
			"notify_round_completed":  acks(protocol.TypeRoundCompletedAck, "round_id"),
			"notify_league_completed": acks(protocol.TypeLeagueCompletedAck),
		},
	},
	"api": {
		register: with(object{"sender": "player:UNREGISTERED"}, registers), status: "REGISTERED", wraps: true,
		methods: map[string]func(params, mine object) object{
			"handle_game_invitation": joins(func(p, mine object) object { return with(object{"accept": true}, signs(p, mine)) }),
			"choose_parity":          chooses(signs),
			"notify_match_result":    func(object, object) object { return object{"status": "ok"} },
		},
	},
	"page": {
		register: with(object{"sender": "player:pending", "league_id": "league_2025_even_odd"}, registers), status: "ACCEPTED", wraps: true,
		meta: object{"agent_version": "1.0.0", "protocol_version": "2.1.0"},
		methods: map[string]func(params, mine object) object{
			"handle_game_invitation": joins(func(p, mine object) object {
				return with(object{"player_id": mine["player_id"], "league_id": p["league_id"], "status": "READY"}, signs(p, mine))
			}),
			"choose_parity": chooses(func(p, mine object) object {
				return with(object{"player_id": mine["player_id"], "league_id": p["league_id"]}, signs(p, mine))
			}),
			"notify_match_result": func(object, object) object { return object{"status": "ok"} },
		},
	},
}

// Two players that were written by a document play a league with two of ours, in its profile: no message is sent in another
// form, none is repeated to a player that has no method for it, and nothing is logged as unusual.
func TestEveryProfilePlaysALeague(t *testing.T) {
	t.Parallel()
	for _, name := range profile.Names()[1:] {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var warned lockedBuffer
			logger := slog.New(slog.NewTextHandler(&warned, &slog.HandlerOptions{Level: slog.LevelWarn}))
			seen := &oddities{}
			o := manager.Options{StartPlayers: 4, StartReferees: 1}
			o.Options = rpc.Options{Profile: profile.New(name, "league_2025_even_odd"), Logger: logger, Observe: seen.observe}
			h := newTestLeague(t, o, 1)
			calls := []*called{students[name].serve(t, h, "Student 1"), students[name].serve(t, h, "Student 2")}
			h.seatOurs("Ours 1")
			h.seatOurs("Ours 2")
			h.await("the end of the league", completed)
			logged := warned.String() // before the end of its agents, which interrupts answers
			h.close()
			h.manager.Read(func(s *league.State) {
				for _, m := range s.Matches {
					if m.Outcome.Result.Status == protocol.TechnicalLoss {
						t.Errorf("%s ended with %+v, want no forfeit", m.ID, m.Outcome.Result)
					}
					if swapped := m.A > m.B; swapped != (name == "assignment" && m.Round > 1) {
						t.Errorf("%s is %s against %s, want the sides of the document", m.ID, m.A, m.B)
					}
				}
			})
			for _, c := range calls {
				c.check(t, students[name])
			}
			if logged != "" {
				t.Errorf("logged %s", logged)
			}
			if len(seen.found) > 0 {
				t.Errorf("unusual: %q", seen.found)
			}
		})
	}
}

// In grading mode such players keep to the rules of their document: nothing that it has costs a match. The program of the
// assignment does not send the envelope that the assignment demands.
func TestEveryProfilePlaysALeagueInGradingMode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"contracts", "api", "page"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := manager.Options{StartPlayers: 2, StartReferees: 1}
			o.Options = rpc.Options{Profile: profile.New(name, "league_2025_even_odd"), Strict: true}
			h := newTestLeague(t, o, 1)
			students[name].serve(t, h, "Student 1")
			students[name].serve(t, h, "Student 2")
			h.await("the end of the league", completed)
			h.close()
			h.manager.Read(func(s *league.State) {
				for _, m := range s.Matches {
					if m.Outcome.Result.Status == protocol.TechnicalLoss {
						t.Errorf("%s ended with %+v, want no forfeit", m.ID, m.Outcome.Result)
					}
				}
			})
		})
	}
}

// called counts the requests to a player by method.
type called struct {
	mu    sync.Mutex
	times map[string]int
}

// check demands one request at most under each method that the player does not have, and one for each of its matches.
func (c *called) check(t *testing.T, p studentPlayer) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for method, n := range c.times {
		_, known := p.methods[method]
		switch {
		case !known && (n > 1 || !strings.Contains(method, "_")):
			t.Errorf("%s was called %d times, and the player does not have it", method, n)
		case strings.Contains(method, "parity") && n != 3:
			t.Errorf("%s was called %d times in three matches", method, n)
		}
	}
}

// serve registers the player and answers for it.
func (p studentPlayer) serve(t *testing.T, h *testLeague, name string) *called {
	t.Helper()
	mine, calls := object{}, &called{times: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			ID     any
			Method string
			Params object
		}
		if r.Method != http.MethodPost || json.Unmarshal(body, &call) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		calls.mu.Lock()
		calls.times[call.Method]++
		calls.mu.Unlock()
		answer := object{"error": "Unknown method"}
		if p.wraps {
			answer = object{"jsonrpc": "2.0", "id": call.ID, "error": object{"code": -32601, "message": "Method not found"}}
		}
		if method := p.methods[call.Method]; method != nil {
			answer = method(call.Params, mine)
			if p.wraps {
				answer = object{"jsonrpc": "2.0", "id": call.ID, "result": answer}
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(func() {
		h.close()
		server.Close()
	})
	meta := with(object{"display_name": name, "game_types": []string{"even_odd"}, "contact_endpoint": server.URL + "/mcp"}, p.meta)
	if meta["agent_version"] == nil {
		meta["version"] = "1.0.0"
	}
	params, _ := json.Marshal(with(object{"player_meta": meta}, p.register))
	var got struct{ Result object }
	if err := json.Unmarshal([]byte(h.post("register_player", string(params))), &got); err != nil || got.Result["status"] != p.status {
		t.Fatalf("registered with %v, %v, want the status %s", got.Result, err, p.status)
	}
	mine["player_id"], mine["auth_token"] = got.Result["player_id"], got.Result["auth_token"]
	return calls
}

// oddities collects the warnings about messages.
type oddities struct {
	mu    sync.Mutex
	found []string
}

func (o *oddities) observe(m rpc.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range m.Warnings {
		if odd := fmt.Sprint(m.Type, ": ", w); !slices.Contains(o.found, odd) {
			o.found = append(o.found, odd)
		}
	}
}

// A lockedBuffer is a buffer that several goroutines write.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
