package manager_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// An example is one message of the assignment's chapter 8, "Running the League System".
type example struct {
	Document string         `json:"document"`
	Section  string         `json:"section"`
	Message  map[string]any `json:"message"`
}

func chapter8(t *testing.T) (out []example) {
	t.Helper()
	f, err := os.Open("../../protocol/testdata/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Document == "001" && strings.HasPrefix(e.Section, "8.") {
			out = append(out, e)
		}
	}
	return out
}

// methods are the methods that chapter 8 calls its requests by.
var methods = map[string]string{
	"REFEREE_REGISTER_REQUEST": "register_referee", "LEAGUE_REGISTER_REQUEST": "register_player",
	"ROUND_ANNOUNCEMENT": "notify_round",
	"GAME_INVITATION":    "handle_game_invitation", "CHOOSE_PARITY_CALL": "choose_parity",
	"GAME_OVER":           "notify_match_result",
	"MATCH_RESULT_REPORT": "report_match_result", "LEAGUE_STANDINGS_UPDATE": "update_standings",
	"ROUND_COMPLETED":  "notify_round_completed",
	"LEAGUE_COMPLETED": "notify_league_completed", "GAME_ERROR": "notify_game_error", "LEAGUE_QUERY": "league_query",
}

// A wire collects the messages that went over it, by type.
type wire struct {
	t    *testing.T
	mu   sync.Mutex
	seen map[string][]map[string]any
}

// hear extracts the messages from a request and its answer.
func (w *wire) hear(request, answer []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var req struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
		ID      any            `json:"id"`
	}
	if err := json.Unmarshal(request, &req); err != nil || req.JSONRPC != "2.0" || req.ID == nil {
		w.t.Errorf("not a JSON-RPC 2.0 request: %s", request)
		return
	}
	kind := fmt.Sprint(req.Params["message_type"])
	if want, ok := methods[kind]; ok && req.Method != want {
		w.t.Errorf("%s is called %q, want %q", kind, req.Method, want)
	}
	w.seen[kind] = append(w.seen[kind], req.Params)
	if answer == nil {
		return
	}
	var reply struct {
		Result map[string]any `json:"result"`
		Error  struct {
			Data map[string]any `json:"data"`
		} `json:"error"`
		ID any `json:"id"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil || fmt.Sprint(reply.ID) != fmt.Sprint(req.ID) {
		w.t.Errorf("not the answer to request %v: %s", req.ID, answer)
		return
	}
	for _, m := range []map[string]any{reply.Result, reply.Error.Data} {
		if m != nil {
			kind := fmt.Sprint(m["message_type"])
			w.seen[kind] = append(w.seen[kind], m)
		}
	}
}

// TestChapterEightMessageByMessage plays a league of two referees and four
// players, one of them late once, asks for the table with a right and a wrong
// token, and holds every message against the assignment's own example of it.
func TestChapterEightMessageByMessage(t *testing.T) {
	examples := chapter8(t)
	if len(examples) < 20 {
		t.Fatalf("%d examples in chapter 8, want 20 or more", len(examples))
	}
	heard := &wire{t: t, seen: map[string][]map[string]any{}}
	inWorld(t, 8, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2}, func(w *world) {
		w.tap = heard.hear
		late := true
		random := w.strategy
		w.strategy = func(id string) player.Strategy {
			return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
				if id == "P02" && late {
					late = false
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return random(id).Choose(ctx, v)
			})
		}
		w.bootAll(2, 4)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.ask("P01", w.tokenOf("P01"))
		w.ask("P01", "tok-invalid-xxx")
	})
	for _, e := range examples {
		kind := fmt.Sprint(e.Message["message_type"])
		t.Run(e.Section+" "+kind, func(t *testing.T) {
			if len(heard.seen[kind]) == 0 {
				t.Fatalf("no %s was sent", kind)
			}
			for _, got := range heard.seen[kind] {
				for _, d := range differences("", e.Message, got) {
					t.Errorf("%s: %s", kind, d)
				}
			}
		})
	}
}

// tokenOf returns a player's token, as the manager would check it.
func (w *world) tokenOf(id string) string {
	return w.agreed(w.state().Agents[id])
}

// agreed returns T of a native agent, as the manager computes it.
func (w *world) agreed(a *league.Agent) string {
	key, err := w.disk.Open(simOptions).Secret(w.ctx, "token."+leagueID)
	if err != nil {
		w.t.Fatal(err)
	}
	token, err := league.TermsOf(w.state()).Agreement(a.Registered).Token(protocol.AgreementKey(key), a.AgreementKey)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// ask sends GET_STANDINGS from a player's machine.
func (w *world) ask(id, token string) {
	_, _ = w.players[id].Node.Call(w.procs[id].Context(), w.peer(token),
		&protocol.LeagueQuery{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeLeagueQuery, ConversationID: "conv-query-standings-001", LeagueID: leagueID,
			},
			QueryType: protocol.QueryStandings,
		})
}

// differences lists the keys of want that got lacks or has with another JSON type. Null matches every type. Names of
// players and the like are not keys.
func differences(path string, want, got any) (out []string) {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %T", path, got)}
		}
		keys := make([]string, 0, len(want))
		for k := range want {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			value, ok := object[k]
			if !ok && protocol.ValidID(protocol.RolePlayer, k) {
				continue
			}
			if !ok {
				out = append(out, fmt.Sprintf("%s.%s: missing", path, k))
				continue
			}
			out = append(out, differences(path+"."+k, want[k], value)...)
		}
	case []any:
		list, ok := got.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an array, got %T", path, got)}
		}
		for i, item := range list {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), want[0], item)...)
		}
	case nil:
	default:
		if got != nil && fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			out = append(out, fmt.Sprintf("%s: want %T, got %T", path, want, got))
		}
	}
	return out
}

func TestDifferencesAreFound(t *testing.T) {
	var want, got any
	_ = json.NewDecoder(bytes.NewBufferString(`{"a":1,"b":{"c":"x"},"d":[{"e":true}]}`)).Decode(&want)
	_ = json.NewDecoder(bytes.NewBufferString(`{"a":"1","b":{},"d":[{"e":true},{"e":0}],"f":2}`)).Decode(&got)
	if d := differences("", want, got); len(d) != 3 {
		t.Errorf("differences = %q, want three", d)
	}
}
