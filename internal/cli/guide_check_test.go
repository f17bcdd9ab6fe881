package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
)

// beyondTheGuide are the steps of a check about input that a player should refuse or validate strictly. According to
// the guide they are warnings.
var beyondTheGuide = []string{
	"P07", "P10", "P11", "P17", "P28", "P29", "P33", "P50", "P51", "P52", "P53", "P54", "P57", "P60",
}

// A player that follows the guide word for word passes the check that the guide names.
func TestGuidePassesItsOwnCheck(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(guidePlayer(guideAnswers(t)))
	defer server.Close()
	r, err := check.Run(t.Context(), server.URL+"/mcp", check.Options{Role: protocol.RolePlayer})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, step := range r.Steps {
		switch {
		case step.Status == protocol.Pass:
			passed++
		case step.Status == protocol.Skip, step.Status == protocol.Warn && slices.Contains(beyondTheGuide, step.ID):
		default:
			t.Errorf("%s %s %s: %s\n  sent %s\n  got  %s", step.Status, step.ID, step.Name, step.Detail, step.Sent, step.Received)
		}
	}
	if passed < 20 {
		t.Errorf("%d steps passed", passed)
	}
}

// guideAnswers are the answers in the guide, by the methods before them or in its table.
func guideAnswers(t *testing.T) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) (shown map[string]any) {
		if err := json.Unmarshal(data, &shown); err != nil {
			t.Fatal(err)
		}
		return shown
	}
	out, method := map[string]map[string]any{}, ""
	for _, b := range regexp.MustCompile("(?ms)^```json\n(.*?)^```").FindAllSubmatch(text, -1) {
		shown := read(b[1])
		if asked, is := shown["method"].(string); is {
			method = asked
		} else if answer := asObject(shown["result"]); answer["sender"] != "league_manager" {
			out[method] = answer
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| \\[\\w+\\]\\([^)]+\\) \\| \\[\\w+\\]\\(([^)]+)\\)").FindAllSubmatch(text, -1) {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(guide), string(row[2])))
		if err != nil {
			t.Fatal(err)
		}
		out[string(row[1])] = asObject(read(data)["result"])
	}
	if len(out) != 11 {
		t.Errorf("the guide answers %d methods: %v", len(out), slices.Sorted(maps.Keys(out)))
	}
	return out
}

// guidePlayer gives those answers. It has no key, and so neither proof nor signature.
func guidePlayer(answers map[string]map[string]any) http.HandlerFunc {
	one := func(body []byte) map[string]any {
		var asked struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params map[string]any  `json:"params"`
		}
		refused := func(code int) map[string]any {
			return map[string]any{"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": code, "message": "no"}}
		}
		if json.Unmarshal(body, &asked) != nil {
			return refused(-32700)
		}
		answer, known := answers[asked.Method]
		if !known {
			return refused(-32601)
		}
		return map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": repeated(answer, asked.Params)}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, err := io.ReadAll(r.Body)
		var batch []json.RawMessage
		switch {
		case err != nil:
		case r.URL.Path == "/health":
			_, _ = io.WriteString(w, `{"status":"healthy","agent":"player:P01"}`)
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case json.Unmarshal(body, &batch) == nil:
			out := make([]map[string]any, len(batch))
			for i := range batch {
				out[i] = one(batch[i])
			}
			_ = json.NewEncoder(w).Encode(out)
		case !bytes.Contains(body, []byte(`"id"`)) && json.Valid(body): // a notification has no answer
			w.WriteHeader(http.StatusAccepted)
		default:
			_ = json.NewEncoder(w).Encode(one(body))
		}
	}
}

// repeated returns an answer of the guide with the members that the guide repeats from the call, and the current time.
func repeated(shown, asked map[string]any) map[string]any {
	out := maps.Clone(shown)
	for _, name := range []string{"proof", "head", "signature"} {
		delete(out, name)
	}
	for _, name := range []string{"timestamp", "arrival_timestamp"} {
		if out[name] != nil {
			out[name] = time.Now().UTC().Format(time.RFC3339)
		}
	}
	for _, name := range []string{"conversation_id", "auth_token", "match_id", "round_id"} {
		if value, is := asked[name]; is {
			out[name] = value
		}
	}
	out["sender"], out["player_id"] = "player:P01", "P01"
	return out
}
