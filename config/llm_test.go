package config_test

import (
	"strings"
	"testing"
)

func TestWhatIsWrongAboutALanguageModelIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"kind": "gpt"`:                                  "llm.kind: want openai or anthropic",
		`"fallback": ""`:                                 "llm.fallback: want the name of a strategy",
		`"max_tries": 0`:                                 "llm.max_tries: want 1 to 100",
		`"max_answer_tokens": 1`:                         "llm.max_answer_tokens: want 16 to",
		`"temperature": 2.5`:                             "llm.temperature: want 0 to 2",
		`"seed": -1`:                                     "llm.seed: want 0 to",
		`"price": {"input_usd_per_million": -1}`:         "llm.price.input_usd_per_million: want 0 to",
		`"price": {"output_usd_per_million": 1}`:         "llm.price: want the prices of input and output, or none",
		`"price": {"input_usd_per_million": "1 dollar"}`: "llm.price.input_usd_per_million",
		`"move_budget": {"tokens": -1}`:                  "llm.move_budget.tokens: want 0 to",
		`"move_budget": {"time_sec": -1}`:                "llm.move_budget.time_sec: want 0 to",
		`"league_budget": {"usd": -0.5}`:                 "llm.league_budget.usd: want 0 to",
	} {
		root := open(t)
		write(t, root, "config/defaults/player.json", `{"llm": {`+text+`}}`)
		if _, err := reopen(t, root.Dir()).Config().PlayerDefaults(); err == nil || !strings.Contains(err.Error(), "player.json:1: "+want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
}
