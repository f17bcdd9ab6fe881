package protocol

import (
	"encoding/json"
	"math"
)

// A Usage is a player's report of the language model usage of its moves: of one move in an answer, of a match in a
// record and a history. It is unsigned, and no result depends on it.
type Usage struct {
	Model        string `json:"model,omitempty"`         // that was asked last
	Moves        int    `json:"moves"`                   // that this is about
	Fallbacks    int    `json:"fallbacks,omitempty"`     // of them, made without the model
	Requests     int    `json:"requests,omitempty"`      // sent to the model's server, those that failed too
	Uncounted    int    `json:"uncounted,omitempty"`     // of them, where the server did not report its tokens: they are in no sum
	InputTokens  int    `json:"input_tokens"`            // as the server counts them, cached ones too
	CachedTokens int    `json:"cached_tokens,omitempty"` // of the input
	OutputTokens int    `json:"output_tokens"`
	LatencyUS    int    `json:"latency_us"`              // that was waited for the server
	Priced       bool   `json:"priced,omitempty"`        // the cost of the tokens is available; it may be 0
	CostNanoUSD  int    `json:"cost_nano_usd,omitempty"` // in billionths of a US dollar
}

// Limits of plausible values for one move, and for one match.
const (
	longestModel   = 64               // bytes of a model's name, before odd ones are marked
	mostTokens     = 1_000_000_000    // of a move
	mostLatencyUS  = 24 * 3600 * 1e6  // of a move
	mostCost       = 10_000 * 1e9     // of a move
	mostRequests   = 1_000            // of a move
	mostMatchMoves = 10_000           // of a match
	mostEver       = math.MaxInt >> 2 // where sums end
)

// ReadUsage decodes the usage in an answer to a move. It returns false for implausible values, such as negative
// numbers, and for other JSON; the answer is then valid without usage.
func ReadUsage(raw json.RawMessage) (u Usage, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u == (Usage{}) {
		return Usage{}, false
	}
	u.Moves, u.Fallbacks, u.Model = 1, min(u.Fallbacks, 1), Plain(Clip(u.Model, longestModel))
	return u, u.within(1)
}

// Plausible reports whether a usage can be that of one match.
func (u Usage) Plausible() bool {
	return u.Moves > 0 && u.Moves <= mostMatchMoves && u.Fallbacks <= u.Moves && u.Model == Plain(u.Model) &&
		len(u.Model) <= 4*longestModel && u.within(u.Moves)
}

// within reports whether the numbers are plausible for that number of moves.
func (u Usage) within(moves int) bool {
	for _, n := range []struct{ is, most int }{
		{u.Fallbacks, 1}, {u.Requests, mostRequests}, {u.Uncounted, mostRequests}, {u.InputTokens, mostTokens}, {u.CachedTokens, mostTokens},
		{u.OutputTokens, mostTokens}, {u.LatencyUS, mostLatencyUS}, {u.CostNanoUSD, mostCost},
	} {
		if n.is < 0 || n.is/moves > n.most {
			return false
		}
	}
	return u.CachedTokens <= u.InputTokens && (u.Priced || u.CostNanoUSD == 0)
}

// Plus returns the sum. The cost of the whole is known only if it is known for each part that used tokens.
func (u Usage) Plus(v Usage) Usage {
	sum := Usage{
		Model: u.Model, Moves: plus(u.Moves, v.Moves), Fallbacks: plus(u.Fallbacks, v.Fallbacks),
		Requests: plus(u.Requests, v.Requests), Uncounted: plus(u.Uncounted, v.Uncounted), InputTokens: plus(u.InputTokens, v.InputTokens),
		CachedTokens: plus(u.CachedTokens, v.CachedTokens), OutputTokens: plus(u.OutputTokens, v.OutputTokens),
		LatencyUS: plus(u.LatencyUS, v.LatencyUS),
		Priced:    (u.Priced || v.Priced) && (u.Priced || u.Requests == 0) && (v.Priced || v.Requests == 0),
	}
	if v.Model != "" {
		sum.Model = v.Model
	}
	if sum.Priced {
		sum.CostNanoUSD = plus(u.CostNanoUSD, v.CostNanoUSD)
	}
	return sum
}

func plus(a, b int) int { return min(min(a, mostEver)+min(b, mostEver), mostEver) }

// CostUSD returns the cost in dollars, and whether it is known.
func (u Usage) CostUSD() (dollars float64, known bool) { return float64(u.CostNanoUSD) / 1e9, u.Priced }

// A Timing adds up tries, in microseconds.
type Timing struct {
	Tries      int `json:"tries"`
	AgentUS    int `json:"agent_us"`
	OverheadUS int `json:"overhead_us"`
}

// Plus returns both together.
func (t Timing) Plus(other Timing) Timing {
	return Timing{t.Tries + other.Tries, t.AgentUS + other.AgentUS, t.OverheadUS + other.OverheadUS}
}
