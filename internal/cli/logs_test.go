package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// logLines reads a log of a root.
func logLines(t *testing.T, root, name string) (all []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "logs", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v in %q", name, err, line)
		}
		all = append(all, m)
	}
	return all
}

// The assignment's samples of log lines (§5.10.2, §9.5.1, §10.6.3), field by field. The assignment has the details in
// one place as `details` and elsewhere beside the other fields; we have them in data, as in §5.10.
func TestLogsAreAsTheAssignmentHasThem(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"run", "--root", root, "--players", "4", "--port", "0"}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for _, tt := range []struct{ file, sample string }{
		{"league/" + theLeague + "/league.log.jsonl", `{"level":"INFO","component":"league_manager","agent_id":"league_manager",
			"event_type":"ROUND_ANNOUNCEMENT_SENT","message":"round 1 announced to 4 players","data":{"round_id":1,"matches_count":2},
			"details":{"round_id":1,"matches_count":2}}`},
		{"agents/P01.log.jsonl", `{"level":"DEBUG","component":"player","agent_id":"player:P01","event_type":"MESSAGE_RECEIVED",
			"message":"received GAME_INVITATION","message_type":"GAME_INVITATION","conversation_id":"*","match_id":"*","data":{"sender":"*"}}`},
		{"agents/P01.log.jsonl", `{"level":"DEBUG","component":"player","agent_id":"player:P01","event_type":"MESSAGE_SENT",
			"message":"sent CHOOSE_PARITY_RESPONSE","message_type":"CHOOSE_PARITY_RESPONSE","conversation_id":"*","data":{"recipient":"*"}}`},
		{"agents/P01.log.jsonl", `{"level":"DEBUG","component":"player","agent_id":"player:P01","event_type":"MESSAGE_SENT",
			"message":"sent LEAGUE_REGISTER_REQUEST","message_type":"LEAGUE_REGISTER_REQUEST","conversation_id":"*","data":{"recipient":"*"}}`},
		{"agents/REF01.log.jsonl", `{"level":"DEBUG","component":"referee","agent_id":"referee:REF01","event_type":"MESSAGE_SENT",
			"message":"sent GAME_OVER","message_type":"GAME_OVER","conversation_id":"*","match_id":"*","data":{"recipient":"*"}}`},
		{"system/orchestrator.log.jsonl", `{"level":"INFO","component":"orchestrator","agent_id":"orchestrator","event_type":"RUN_STARTED",
			"message":"*","data":{"players":4,"referees":2}}`},
		{"system/orchestrator.log.jsonl", `{"level":"INFO","component":"orchestrator","agent_id":"orchestrator","event_type":"AGENT_READY",
			"message":"*","data":{"agent_id":"P01","endpoint":"*"}}`},
		{"system/orchestrator.log.jsonl", `{"level":"INFO","component":"orchestrator","agent_id":"orchestrator","event_type":"RUN_ENDED",
			"message":"the run ended after 6 matches","data":{"matches_count":6,"elapsed_sec":"*"}}`},
	} {
		var sample map[string]any
		if err := json.Unmarshal([]byte(tt.sample), &sample); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, line := range logLines(t, root, tt.file) {
			found = found || covers(line, sample)
		}
		if !found {
			t.Errorf("%s has no line like %s", tt.file, tt.sample)
		}
	}
	stamp := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	names, _ := filepath.Glob(filepath.Join(root, "logs", "agents", "*"))
	if len(names) != 6 {
		t.Errorf("got %q, want a file for each of 6 agents", names)
	}
	for _, path := range append(names, filepath.Join(root, "logs/system/orchestrator.log.jsonl")) {
		name, _ := filepath.Rel(filepath.Join(root, "logs"), path)
		for _, line := range logLines(t, root, name) {
			if at, _ := line["timestamp"].(string); !stamp.MatchString(at) {
				t.Errorf("%s: timestamp %q, want milliseconds", name, at)
			}
			if id, _ := line["agent_id"].(string); strings.HasPrefix(name, "agents/") && !strings.HasSuffix(id, ":"+strings.TrimSuffix(filepath.Base(name), ".log.jsonl")) {
				t.Errorf("%s has a line of %s", name, id)
			}
		}
	}
}

// covers reports whether a line has all fields of a sample with their values; "*" matches any value.
func covers(line, sample map[string]any) bool {
	for name, want := range sample {
		got, there := line[name]
		inner, nested := want.(map[string]any)
		if nested {
			have, _ := got.(map[string]any)
			if !covers(have, inner) {
				return false
			}
			continue
		}
		if !there || want != "*" && fmt.Sprint(got) != fmt.Sprint(want) {
			return false
		}
	}
	return true
}
