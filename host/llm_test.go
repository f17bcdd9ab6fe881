package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/player/minds/llm/chat"
)

func TestAModelIsFoundAsTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("of-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const ours, messages, completions = "http://localhost:11434", "https://api.anthropic.com/v1/messages", "https://api.openai.com/v1/chat/completions"
	for name, tt := range map[string]struct {
		set     config.LLM
		env     map[string]string
		at, key string // "": there is no model
		kind    chat.API
	}{
		"nothing":                     {},
		"an address":                  {config.LLM{URL: ours}, nil, ours + "/v1/chat/completions", "", chat.OpenAI},
		"OpenAI's key":                {config.LLM{}, map[string]string{"OPENAI_API_KEY": "o"}, completions, "o", chat.OpenAI},
		"Anthropic's key":             {config.LLM{}, map[string]string{"ANTHROPIC_API_KEY": "a"}, messages, "a", chat.Anthropic},
		"both keys":                   {config.LLM{}, map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, completions, "o", chat.OpenAI},
		"both keys, a Claude":         {config.LLM{Model: "claude-x"}, map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, messages, "a", chat.Anthropic},
		"both keys, a kind":           {config.LLM{Kind: "anthropic"}, map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, messages, "a", chat.Anthropic},
		"a Claude without a key":      {config.LLM{Model: "claude-x"}, map[string]string{"OPENAI_API_KEY": "o"}, "", "", ""},
		"another server of a shape":   {config.LLM{}, map[string]string{"OPENAI_BASE_URL": ours + "/v1", "OPENAI_API_KEY": "o"}, ours + "/v1/chat/completions", "o", chat.OpenAI},
		"another server, no key":      {config.LLM{}, map[string]string{"OPENAI_BASE_URL": ours}, ours + "/v1/chat/completions", "", chat.OpenAI},
		"a gateway for Claude":        {config.LLM{Model: "claude-x"}, map[string]string{"ANTHROPIC_BASE_URL": ours, "ANTHROPIC_API_KEY": "a"}, ours + "/v1/messages", "a", chat.Anthropic},
		"a key is not for others":     {config.LLM{URL: ours}, map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}, ours + "/v1/chat/completions", "", chat.OpenAI},
		"a key of its own":            {config.LLM{URL: ours}, map[string]string{"LEAGUE_LLM_KEY": "l", "OPENAI_API_KEY": "o"}, ours + "/v1/chat/completions", "l", chat.OpenAI},
		"a file before all of them":   {config.LLM{URL: ours, KeyFile: file}, map[string]string{"LEAGUE_LLM_KEY": "l"}, ours + "/v1/chat/completions", "of-file", chat.OpenAI},
		"an address and a kind":       {config.LLM{URL: ours, Kind: "anthropic"}, nil, ours + "/v1/messages", "", chat.Anthropic},
		"an http address of OpenAI's": {config.LLM{URL: "http://api.openai.com/v1"}, map[string]string{"OPENAI_API_KEY": "o"}, "http://api.openai.com/v1/chat/completions", "", chat.OpenAI},
	} {
		c, err := llmClient(tt.set, func(name string) string { return tt.env[name] })
		switch {
		case tt.at == "" && !errors.Is(err, ErrNoModel):
			t.Errorf("%s: got %+v, %v; want ErrNoModel", name, c, err)
		case tt.at != "" && (err != nil || c.Endpoint != tt.at || c.Key != tt.key || c.API != tt.kind):
			t.Errorf("%s: got %+v, %v; want %s with the key %q", name, c, err, tt.at, tt.key)
		}
	}
}

func TestAKeyFileHoldsOneKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "one key and nothing else", "a b\n": "one key and nothing else"} {
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := llmClient(config.LLM{URL: "http://h", KeyFile: file}, os.Getenv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A strategy that a client names over the network does not spend the operator's money.
func TestABotIsNoLanguageModel(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"llm", "llm:gpt", " llm "} {
		if _, err := BotFor(spec, ""); err == nil || !strings.Contains(err.Error(), "only be named by whoever starts") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}

func TestASeedIsNotForAnthropicsMessages(t *testing.T) {
	t.Parallel()
	seed, warm := 7, 0.5
	s := config.LLM{URL: "http://localhost:11434", Temperature: &warm, Seed: &seed}
	c, err := llmClient(s, func(string) string { return "" })
	if err != nil || *c.Sampling.Temperature != warm || *c.Sampling.Seed != seed {
		t.Errorf("got %+v, %v; want the temperature and the seed", c, err)
	}
	s.Kind = "anthropic"
	if _, err := llmClient(s, func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "takes no seed") {
		t.Errorf("got %v, want an error about the seed", err)
	}
}
