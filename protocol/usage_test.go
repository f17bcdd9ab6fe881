package protocol_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestUsageThatNobodyCanMeanIsLeftOut(t *testing.T) {
	for _, raw := range []string{
		``, `null`, `{}`, `[]`, `"many"`, `7`, `true`, `{"prompt_tokens": 7}`, `{"input_tokens": "7"}`, `{"input_tokens": 1.5}`,
		`{"input_tokens": -1}`, `{"output_tokens": -1}`, `{"latency_us": -1}`, `{"requests": -1}`, `{"fallbacks": -1}`,
		`{"input_tokens": 1e300}`, `{"input_tokens": 9223372036854775807}`, `{"input_tokens": 9223372036854775808}`,
		`{"input_tokens": 1, "cached_tokens": 2}`, `{"cost_nano_usd": 5}`, `{"priced": true, "cost_nano_usd": -5}`,
		`{"priced": true, "cost_nano_usd": 9000000000000000000}`, `{"latency_us": 1000000000000}`, `{"requests": 100000}`,
		`{"model": ["a"]}`, `{"input_tokens": NaN}`,
	} {
		if u, ok := protocol.ReadUsage(json.RawMessage(raw)); ok {
			t.Errorf("%s was read as %+v", raw, u)
		}
	}
}

func TestUsageIsReadAsThatOfOneMove(t *testing.T) {
	const raw = `{"model":"m","moves":99,"fallbacks":7,"requests":2,"input_tokens":70,"cached_tokens":64,"output_tokens":5,
		"latency_us":1234,"priced":true,"cost_nano_usd":88,"another":1}`
	got, ok := protocol.ReadUsage(json.RawMessage(raw))
	want := protocol.Usage{Model: "m", Moves: 1, Fallbacks: 1, Requests: 2, InputTokens: 70, CachedTokens: 64, OutputTokens: 5,
		LatencyUS: 1234, Priced: true, CostNanoUSD: 88}
	if !ok || got != want || !got.Plausible() {
		t.Errorf("got %+v, %v; want %+v", got, ok, want)
	}
}

func TestUsageShowsNoOddNameOfAModel(t *testing.T) {
	raw, _ := json.Marshal(map[string]any{"model": "\x1b[2J" + strings.Repeat("é", 80), "requests": 1})
	u, ok := protocol.ReadUsage(raw)
	if !ok || strings.Contains(u.Model, "\x1b") || len(u.Model) > 256 || !u.Plausible() {
		t.Errorf("got %q (%d bytes), %v, plausible %v", u.Model, len(u.Model), ok, u.Plausible())
	}
}

func TestUsageAddsUpAndKnowsTheCostOnlyIfAllOfItIsKnown(t *testing.T) {
	paid := protocol.Usage{Model: "a", Moves: 1, Requests: 1, InputTokens: 10, OutputTokens: 1, Priced: true, CostNanoUSD: 30}
	free := protocol.Usage{Model: "b", Moves: 1, Requests: 1, InputTokens: 5, OutputTokens: 1}
	fell := protocol.Usage{Moves: 1, Fallbacks: 1}
	for name, c := range map[string]struct {
		a, b  protocol.Usage
		cost  float64
		known bool
	}{
		"both known": {paid, paid, 60e-9, true}, "one not": {paid, free, 0, false},
		"one used nothing": {fell, paid, 30e-9, true}, "the other way": {paid, fell, 30e-9, true}, "neither": {free, fell, 0, false},
	} {
		sum := c.a.Plus(c.b)
		if cost, known := sum.CostUSD(); known != c.known || math.Abs(cost-c.cost) > 1e-15 {
			t.Errorf("%s: cost %v, %v; want %v, %v", name, cost, known, c.cost, c.known)
		}
		if sum.Moves != 2 || sum.InputTokens != c.a.InputTokens+c.b.InputTokens {
			t.Errorf("%s: %+v is not the sum", name, sum)
		}
	}
}

func TestUsageSumsEndBeforeTheyOverflow(t *testing.T) {
	huge := protocol.Usage{Moves: math.MaxInt, InputTokens: math.MaxInt, LatencyUS: math.MaxInt}
	for range 5 {
		huge = huge.Plus(huge)
	}
	if huge.Moves <= 0 || huge.InputTokens <= 0 || huge.LatencyUS <= 0 {
		t.Errorf("the sum is %+v", huge)
	}
	if huge.Plausible() {
		t.Error("that was believed of a match")
	}
}

func FuzzReadUsage(f *testing.F) {
	f.Add([]byte(`{"model":"m","requests":1,"input_tokens":7}`))
	f.Add([]byte(`{"priced":true,"cost_nano_usd":1e3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if u, ok := protocol.ReadUsage(raw); ok && (!u.Plausible() || !u.Plus(u).Plausible() || u.Moves != 1) {
			t.Errorf("%s was read as %+v", raw, u)
		}
	})
}
