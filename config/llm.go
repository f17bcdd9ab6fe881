package config

import (
	"errors"
	"math"
)

// LLM is the member llm of config/defaults/player.json: the language model of the strategy llm, and its budgets. The
// model's key is in a separate file, or in the environment.
type LLM struct {
	URL             string       `json:"url"`               // of the model's server; "": from the environment
	Kind            string       `json:"kind"`              // openai or anthropic; "": by the address
	Model           string       `json:"model"`             // "": the only one of the server
	KeyFile         string       `json:"key_file"`          // "": the environment's key, if any
	Fallback        string       `json:"fallback"`          // the strategy that plays where the model does not
	MaxTries        int          `json:"max_tries"`         // how often a question is put before the fallback plays
	MaxAnswerTokens int          `json:"max_answer_tokens"` // of one answer
	Temperature     *float64     `json:"temperature"`       // null: the server's own
	Seed            *int         `json:"seed"`              // null: none; Anthropic's messages have none
	Price           LLMPrice     `json:"price"`             // in US dollars for a million tokens
	MoveBudget      MoveBudget   `json:"move_budget"`       // for one choice
	LeagueBudget    LeagueBudget `json:"league_budget"`     // for all of a league; then the fallback plays
}

// LLMPrice is the price of a million tokens, in US dollars; null means unknown. If the price of cached input is
// unknown, that of input applies.
type LLMPrice struct {
	Input  *float64 `json:"input_usd_per_million"`
	Cached *float64 `json:"cached_usd_per_million"`
	Output *float64 `json:"output_usd_per_million"`
}

// MoveBudget limits the use of a model for one move; 0 means no limit other than the deadline.
type MoveBudget struct {
	TimeSec Seconds `json:"time_sec"`
	Tokens  int     `json:"tokens"`
	USD     float64 `json:"usd"`
}

// LeagueBudget limits the use of a model by one player in a league; 0 means no limit.
type LeagueBudget struct {
	Tokens int     `json:"tokens"`
	USD    float64 `json:"usd"`
}

// Upper limits of the budgets: larger values are probably in a wrong unit.
const (
	mostTokens  = math.MaxInt32
	mostDollars = 1_000_000
)

// check validates the section llm. What depends on the environment is checked when a player starts.
func (v LLM) check(s *source) error {
	p := v.Price
	temperature, seed := 0.0, 0
	if v.Temperature != nil {
		temperature = *v.Temperature
	}
	if v.Seed != nil {
		seed = *v.Seed
	}
	return errors.Join(
		s.must(0 <= temperature && temperature <= 2, "llm.temperature", temperature, "0 to 2, or null"),
		s.within("llm.seed", seed, 0, math.MaxInt32),
		s.oneOfOrNone("llm.kind", v.Kind, "openai", "anthropic"),
		s.must(v.Fallback != "", "llm.fallback", v.Fallback, "the name of a strategy, such as random"),
		s.within("llm.max_tries", v.MaxTries, 1, 100),
		s.within("llm.max_answer_tokens", v.MaxAnswerTokens, 16, mostTokens),
		s.price("llm.price.input_usd_per_million", p.Input),
		s.price("llm.price.cached_usd_per_million", p.Cached),
		s.price("llm.price.output_usd_per_million", p.Output),
		s.must((p.Input == nil) == (p.Output == nil) && (p.Cached == nil || p.Input != nil), "llm.price", p,
			"the prices of input and output, or none"),
		s.least("llm.move_budget.time_sec", v.MoveBudget.TimeSec),
		s.within("llm.move_budget.tokens", v.MoveBudget.Tokens, 0, mostTokens),
		s.dollars("llm.move_budget.usd", v.MoveBudget.USD),
		s.within("llm.league_budget.tokens", v.LeagueBudget.Tokens, 0, mostTokens),
		s.dollars("llm.league_budget.usd", v.LeagueBudget.USD),
	)
}

// price wants a sum, or null.
func (s *source) price(path string, v *float64) error {
	if v == nil {
		return nil
	}
	return s.dollars(path, *v)
}

// dollars wants a sum that is not negative.
func (s *source) dollars(path string, v float64) error {
	return s.must(0 <= v && v <= mostDollars, path, v, "0 to %d US dollars", mostDollars)
}

// oneOfOrNone returns an error unless value is one of words or "".
func (s *source) oneOfOrNone(path, value string, words ...string) error {
	if value == "" {
		return nil
	}
	return s.oneOf(path, value, words...)
}

// UsualLLM is the default for language models.
func UsualLLM() LLM { return builtin[PlayerDefaults]("player").LLM }
