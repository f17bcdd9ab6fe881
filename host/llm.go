package host

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"agentleague/config"
	"agentleague/player"
	"agentleague/player/minds/llm"
	"agentleague/player/minds/llm/chat"
)

// llmName is the name of the strategy that queries a language model.
const llmName = "llm"

// ErrNoModel means that no language model is configured.
var ErrNoModel = errors.New("no language model is known")

// IsLLM reports whether a spec names a language model: llm, or llm:MODEL.
func IsLLM(spec string) bool {
	m, _, err := lookup(spec)
	return err == nil && m.Name == llmName
}

// LLM creates the strategy of a spec that names a language model, from settings and environment variables. If neither
// names a model, the error is [ErrNoModel]. It sends no request: [llm.Mind.Ready] checks the model's server.
func LLM(spec string, s config.LLM, environment func(string) string) (*llm.Mind, error) {
	_, model, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	s.Model = cmp.Or(strings.TrimSpace(model), s.Model)
	client, err := llmClient(s, environment)
	if err != nil {
		return nil, err
	}
	o, err := llmOptions(s)
	if err != nil {
		return nil, err
	}
	return llm.New(client, o)
}

// fromEnvironment creates the strategy llm from environment variables and default settings.
func fromEnvironment(model string) (player.Strategy, error) {
	usual := config.UsualLLM()
	usual.Model = model
	mind, err := LLM(llmName, usual, os.Getenv)
	if err != nil {
		return nil, err
	}
	return mind, nil
}

// llmOptions are how the model is asked.
func llmOptions(s config.LLM) (o llm.Options, err error) {
	o = llm.Options{
		Tries: s.MaxTries, MaxTokens: s.MaxAnswerTokens,
		Budget: llm.Budget{
			MoveTime: s.MoveBudget.TimeSec.Duration(), MoveTokens: s.MoveBudget.Tokens, MoveUSD: s.MoveBudget.USD,
			LeagueTokens: s.LeagueBudget.Tokens, LeagueUSD: s.LeagueBudget.USD,
		},
	}
	if p := s.Price; p.Input != nil && p.Output != nil {
		o.Price = &llm.Price{Input: *p.Input, Cached: *cmp.Or(p.Cached, p.Input), Output: *p.Output}
	}
	if IsLLM(s.Fallback) {
		return o, errors.New("the fallback of llm cannot be llm itself; use a strategy that needs no model, such as random")
	}
	if o.Fallback, err = strategyNamed(s.Fallback); err != nil {
		return o, fmt.Errorf("the fallback of llm: %w", err)
	}
	return o, nil
}

// llmClient returns a client for the model's server, with its key.
func llmClient(s config.LLM, environment func(string) string) (*chat.Client, error) {
	s = fromVariables(s, environment)
	if s.URL == "" {
		return nil, ErrNoModel
	}
	api := chat.API(cmp.Or(s.Kind, string(chat.GuessAPI(s.URL))))
	endpoint, err := chat.Endpoint(api, s.URL)
	if err != nil {
		return nil, err
	}
	key, err := llmKey(s, environment)
	if err != nil {
		return nil, err
	}
	if api == chat.Anthropic && s.Seed != nil {
		return nil, errors.New("a server of the kind anthropic takes no seed; leave it out")
	}
	return &chat.Client{Endpoint: endpoint, API: api, Model: s.Model, Key: key,
		Sampling: chat.Sampling{Temperature: s.Temperature, Seed: s.Seed}}, nil
}

// The default addresses of the two API shapes.
const (
	openAI    = "https://api.openai.com/v1"
	anthropic = "https://api.anthropic.com"
)

// fromVariables fills in a missing server address from environment variables that other programs use too.
func fromVariables(s config.LLM, environment func(string) string) config.LLM {
	claude := s.Kind == string(chat.Anthropic) || s.Kind == "" && strings.HasPrefix(s.Model, "claude")
	switch {
	case s.URL != "":
	case s.Kind != string(chat.Anthropic) && environment("OPENAI_BASE_URL") != "":
		s.URL = environment("OPENAI_BASE_URL")
	case claude && environment("ANTHROPIC_BASE_URL") != "":
		s.URL, s.Kind = environment("ANTHROPIC_BASE_URL"), string(chat.Anthropic)
	case claude && (environment("ANTHROPIC_API_KEY") != "" || s.KeyFile != ""):
		s.URL = anthropic
	case claude:
	case environment("OPENAI_API_KEY") != "":
		s.URL = openAI
	case environment("ANTHROPIC_API_KEY") != "" && s.Kind == "":
		s.URL = cmp.Or(environment("ANTHROPIC_BASE_URL"), anthropic)
		s.Kind = string(chat.Anthropic)
	}
	return s
}

// llmKey returns the key for the server in s: from the configured file, from LEAGUE_LLM_KEY, or from the variable of
// the provider whose default or configured base URL has the same scheme and host. No other server receives the key.
func llmKey(s config.LLM, environment func(string) string) (string, error) {
	if s.KeyFile != "" {
		text, err := os.ReadFile(s.KeyFile)
		if err != nil {
			return "", fmt.Errorf("the key of the language model: %w", err)
		}
		key := strings.TrimSpace(string(text))
		if key == "" || strings.ContainsAny(key, " \t\r\n") {
			return "", fmt.Errorf("the key of the language model: %s must hold one key and nothing else", s.KeyFile)
		}
		return key, nil
	}
	if key := environment("LEAGUE_LLM_KEY"); key != "" {
		return key, nil
	}
	for variable, addresses := range map[string][]string{
		"OPENAI_API_KEY":    {openAI, environment("OPENAI_BASE_URL")},
		"ANTHROPIC_API_KEY": {anthropic, environment("ANTHROPIC_BASE_URL")},
	} {
		for _, address := range addresses {
			if sameHost(address, s.URL) && environment(variable) != "" {
				return environment(variable), nil
			}
		}
	}
	return "", nil
}

// sameHost reports whether two URLs have the same scheme and host.
func sameHost(a, b string) bool {
	u, err := url.Parse(a)
	v, wrong := url.Parse(b)
	return err == nil && wrong == nil && u.Host != "" && u.Host == v.Host && u.Scheme == v.Scheme
}
