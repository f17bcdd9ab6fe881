package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentleague/config"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/player"
)

// An llmFlags holds the flags of the strategy llm. Omitted values come from the configuration.
type llmFlags struct {
	flags *pflag.FlagSet
	typed config.LLM
	price string

	temperature float64
	seed        int
}

// add adds the flags to a command that starts players.
func (f *llmFlags) add(cmd *cobra.Command) {
	f.flags = cmd.Flags()
	f.flags.StringVar(&f.typed.URL, "llm-url", "", "the model's server, for --strategy llm, such as "+
		"http://localhost:11434 (default: llm.url of config/defaults/player.json, or the environment's; see "+
		"docs/guide/llm.md)")
	f.flags.StringVar(&f.typed.Model, "llm-model", "", "the model (default: the only one that the server has)")
	f.flags.StringVar(&f.typed.Kind, "llm-kind", "", "how the server is spoken to: openai or anthropic (default: "+
		"by its address)")
	f.flags.StringVar(&f.typed.KeyFile, "llm-key-file", "", "a file with the key for the server (default: "+
		"LEAGUE_LLM_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY)")
	f.flags.StringVar(&f.typed.Fallback, "llm-fallback", "", "the strategy that plays where the model does not "+
		"(default: random)")
	f.flags.StringVar(&f.price, "llm-price", "", "US dollars for a million tokens of input and of output, such as "+
		"0.15,0.60; a third number is for cached input")
	f.flags.Float64Var(&f.temperature, "llm-temperature", 0, "the model's temperature, 0 to 2 (default: the server's own)")
	f.flags.IntVar(&f.seed, "llm-seed", 0, "the seed of the model's choices, 0 or more; a server may ignore it (default: none)")
	f.flags.Float64Var(&f.typed.LeagueBudget.USD, "llm-budget-usd", 0, "how many US dollars each player may spend "+
		"in a league")
	f.flags.IntVar(&f.typed.LeagueBudget.Tokens, "llm-budget-tokens", 0, "how many tokens each player may use in a league")
}

// over returns settings overridden by the flags.
func (f *llmFlags) over(s config.LLM) (config.LLM, error) {
	for _, flag := range []struct {
		name     string
		from, to *string
	}{
		{"llm-url", &f.typed.URL, &s.URL}, {"llm-model", &f.typed.Model, &s.Model}, {"llm-kind", &f.typed.Kind, &s.Kind},
		{"llm-key-file", &f.typed.KeyFile, &s.KeyFile}, {"llm-fallback", &f.typed.Fallback, &s.Fallback},
	} {
		if f.flags.Changed(flag.name) {
			*flag.to = *flag.from
		}
	}
	if f.flags.Changed("llm-temperature") {
		s.Temperature = &f.temperature
	}
	if f.flags.Changed("llm-seed") {
		s.Seed = &f.seed
	}
	if f.flags.Changed("llm-budget-usd") {
		s.LeagueBudget.USD = f.typed.LeagueBudget.USD
	}
	if f.flags.Changed("llm-budget-tokens") {
		s.LeagueBudget.Tokens = f.typed.LeagueBudget.Tokens
	}
	if f.price != "" {
		price, err := readPrice(f.price)
		if err != nil {
			return s, err
		}
		s.Price = price
	}
	return s, f.check()
}

// check checks the flags.
func (f *llmFlags) check() error {
	switch k := f.typed.Kind; {
	case k != "" && k != "openai" && k != "anthropic":
		return usage.Wrong("--llm-kind: use openai or anthropic, got %q", k)
	case !(f.temperature >= 0 && f.temperature <= 2):
		return usage.Wrong("--llm-temperature: want 0 to 2, got %v", f.temperature)
	case f.seed < 0 || f.seed > math.MaxInt32:
		return usage.Wrong("--llm-seed: want 0 to %d, got %d", math.MaxInt32, f.seed)
	case f.typed.LeagueBudget.USD < 0:
		return usage.Wrong("--llm-budget-usd: want 0 or more, got %v", f.typed.LeagueBudget.USD)
	case f.typed.LeagueBudget.Tokens < 0:
		return usage.Wrong("--llm-budget-tokens: want 0 or more, got %d", f.typed.LeagueBudget.Tokens)
	}
	return nil
}

// readPrice parses two or three comma-separated prices, in US dollars: of input, output and cached input.
func readPrice(text string) (p config.LLMPrice, err error) {
	parts := strings.Split(text, ",")
	if len(parts) < 2 || len(parts) > 3 {
		return p, usage.Wrong("--llm-price: want two or three numbers, such as 0.15,0.60, got %q", text)
	}
	for i, to := range []**float64{&p.Input, &p.Output, &p.Cached}[:len(parts)] {
		v, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || !(v >= 0 && v <= 1e6) {
			return p, usage.Wrong("--llm-price: want numbers of US dollars, such as 0.15,0.60, got %q", text)
		}
		*to = &v
	}
	return p, nil
}

// strategy creates the strategy of a spec. It sends a language model a first query, so that a missing or misconfigured
// model is an error before the league starts.
func (f *llmFlags) strategy(ctx context.Context, spec, game string, s config.LLM) (player.Strategy, error) {
	if !host.IsLLM(spec) {
		return host.StrategyFor(spec, game)
	}
	s, err := f.over(s)
	if err != nil {
		return nil, err
	}
	mind, err := host.LLM(spec, s, os.Getenv)
	switch {
	case errors.Is(err, host.ErrNoModel):
		return nil, errors.New("the strategy llm needs a language model: give its server with --llm-url (Ollama's is " +
			"http://localhost:11434) " +
			"and its name with --llm-model, or set OPENAI_API_KEY or ANTHROPIC_API_KEY; see docs/guide/llm.md")
	case err != nil:
		return nil, fmt.Errorf("the strategy llm: %w", err)
	}
	if err := mind.Ready(ctx); err != nil {
		return nil, fmt.Errorf("the strategy llm: %w; start the server, or give another with --llm-url, --llm-model "+
			"and --llm-key-file", err)
	}
	return mind, nil
}
