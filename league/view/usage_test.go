package view

import (
	"testing"

	"agentleague/protocol"
)

func TestUsageIsToldForPeople(t *testing.T) {
	u := protocol.Usage{Model: "tiny", Moves: 8, Fallbacks: 1, Requests: 9, InputTokens: 1200, CachedTokens: 400, OutputTokens: 90,
		LatencyUS: 3_200_000, Priced: true, CostNanoUSD: 1_234_000}
	for name, tt := range map[string]struct {
		usage protocol.Usage
		want  []string
	}{
		"all of it":      {u, []string{"tiny", "1200 tokens in, 90 out (400 cached)", "$0.001234", "0.4 s a move", "1 of 8 moves by the fallback (13 %)"}},
		"no price":       {protocol.Usage{Moves: 1, InputTokens: 5, OutputTokens: 1}, []string{"a language model", "5 tokens in, 1 out", "", "0.0 s a move", "all moves by the model"}},
		"for nothing":    {protocol.Usage{Model: "m", Moves: 1, Priced: true}, []string{"m", "0 tokens in, 0 out", "$0.00", "0.0 s a move", "all moves by the model"}},
		"not all counts": {protocol.Usage{Model: "m", Moves: 1, Uncounted: 1, Priced: true, CostNanoUSD: 2_500_000_000}, []string{"m", "at least 0 tokens in, 0 out", "at least $2.50", "0.0 s a move", "all moves by the model"}},
	} {
		v := UsageView{tt.usage}
		for i, got := range []string{v.Name(), v.Tokens(), v.Cost(), v.Wait(), v.Share()} {
			if got != tt.want[i] {
				t.Errorf("%s: got %q, want %q", name, got, tt.want[i])
			}
		}
	}
}
