package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentleague/config"
	"agentleague/player/minds/llm/llmtest"
	"agentleague/store"
)

// llmKeys are about the language model of a player. The server is good, slow or useless, by the name of the model.
func llmKeys() []changedKey {
	key := func(name string, value any) map[string]any { return map[string]any{"player llm." + name: value} }
	priced := map[string]any{"player llm.price.input_usd_per_million": 1, "player llm.price.output_usd_per_million": 2}
	return []changedKey{
		{key: "player llm.url", b: "http://127.0.0.1:9", see: seeModel},
		{key: "player llm.kind", b: "anthropic", see: seeModel},
		{key: "player llm.model", b: "another", see: seeModel},
		{key: "player llm.key_file", b: "nowhere", see: seeModel},
		{key: "player llm.fallback", a: "always:even", b: "always:odd", with: key("model", "useless"), see: seeModel},
		{key: "player llm.max_tries", b: 1, with: key("model", "useless"), see: seeModel},
		{key: "player llm.max_answer_tokens", b: 99, see: seeModel},
		{key: "player llm.temperature", b: 0.5, see: seeModel},
		{key: "player llm.seed", b: 7, see: seeModel},
		{key: "player llm.price.input_usd_per_million", a: 1, b: 9, with: key("price.output_usd_per_million", 2), see: seeModel},
		{key: "player llm.price.output_usd_per_million", a: 1, b: 9, with: key("price.input_usd_per_million", 2), see: seeModel},
		{key: "player llm.price.cached_usd_per_million", b: 100, with: priced, see: seeModel},
		{key: "player llm.move_budget.time_sec", b: 0.05, with: key("model", "slow"), see: seeModel},
		{key: "player llm.move_budget.tokens", b: 50, see: seeModel},
		{key: "player llm.move_budget.usd", b: 0.0000001, with: priced, see: seeModel},
		{key: "player llm.league_budget.tokens", b: 50, see: seeModel},
		{key: "player llm.league_budget.usd", b: 0.0000001, with: priced, see: seeModel},
	}
}

// seeModel returns the requests of a league's player to the model server, and the player's history of it.
func seeModel(t *testing.T, root string) string {
	t.Helper()
	var set config.PlayerDefaults
	text, err := os.ReadFile(filepath.Join(root, configFiles["player"].path))
	if err == nil {
		err = json.Unmarshal(text, &set)
	}
	if err != nil {
		t.Fatal(err)
	}
	script := map[string]llmtest.Reply{
		"slow": {Pick: true, Delay: 700 * time.Millisecond}, "useless": llmtest.Says("hm"),
	}
	reply, odd := script[set.LLM.Model]
	if !odd {
		reply = llmtest.Good(0)
	}
	s := llmtest.New(t, llmtest.Says("hm"), reply) // of two requests the second finds a part of itself in the cache
	if set.LLM.URL == "" {
		change(t, root, "player llm.url", s.URL)
	}
	var out, errs bytes.Buffer
	if run(t.Context(), []string{"run", "--root", root, "--port", "0", "--players", "2", "--referees", "1", "--strategy", "llm,random", "--json"}, &out, &errs) != 0 {
		return errs.String()
	}
	text, err = os.ReadFile(filepath.Join(root, "data/players/P01/history.json"))
	var history store.History
	if err == nil {
		err = json.Unmarshal(text, &history)
	}
	if err != nil || len(history.Matches) != 1 || history.Matches[0].Usage == nil {
		t.Fatalf("the history is %s, %v", text, err)
	}
	m := history.Matches[0]
	m.Usage.LatencyUS = 0 // it is never the same
	m.Usage.InputTokens, m.Usage.CachedTokens = 0, 0
	seen := fmt.Sprintf("%+v", *m.Usage)
	if set.LLM.Model == "useless" {
		seen += string(m.MyChoice)
	}
	for _, r := range s.Requests() {
		var sampling struct{ Temperature, Seed json.RawMessage }
		if err := json.Unmarshal([]byte(r.Body), &sampling); err != nil {
			t.Fatal(err)
		}
		seen += fmt.Sprintf(" %s %d %s %s", r.Path, r.MaxTokens, sampling.Temperature, sampling.Seed)
	}
	return seen
}
