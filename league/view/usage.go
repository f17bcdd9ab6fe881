package view

import (
	"fmt"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// modelMost is the maximum number of characters of a model's name.
const modelMost = 160

// A UsageView shows the language model usage that a player reports.
type UsageView struct{ protocol.Usage }

// UsageIn returns a player's reported usage in a match, or nil.
func UsageIn(out *league.ResultRecorded, id string) *protocol.Usage {
	if u, told := out.Usage[id]; told {
		u.Model = Clean(u.Model, modelMost)
		return &u
	}
	return nil
}

// UsageOf returns the sum of a player's reported usage over all counted results, or nil.
func UsageOf(s *league.State, id string) (sum *protocol.Usage) {
	for _, m := range s.MatchesOf(id) {
		if m.Outcome == nil {
			continue
		}
		u := UsageIn(m.Outcome, id)
		if u != nil && sum != nil {
			*u = sum.Plus(*u)
		}
		if u != nil {
			sum = u
		}
	}
	return sum
}

// NewUsageView returns a view of a usage; nil for nil.
func NewUsageView(u *protocol.Usage) *UsageView {
	if u == nil {
		return nil
	}
	return &UsageView{*u}
}

// Name returns the model's name, or a general term if it is unknown.
func (u UsageView) Name() string {
	if u.Model == "" {
		return "a language model"
	}
	return u.Model
}

// Tokens returns the number of tokens in words.
func (u UsageView) Tokens() string {
	text := fmt.Sprintf("%s%d tokens in, %d out", u.atLeast(), u.InputTokens, u.OutputTokens)
	if u.CachedTokens > 0 {
		text += fmt.Sprintf(" (%d cached)", u.CachedTokens)
	}
	return text
}

// Cost returns the cost; "": unknown.
func (u UsageView) Cost() string {
	usd, known := u.CostUSD()
	if !known {
		return ""
	}
	text := strconv.FormatFloat(usd, 'f', 6, 64)
	if whole, digits, _ := strings.Cut(text, "."); len(strings.TrimRight(digits, "0")) <= 2 {
		text = whole + "." + digits[:2]
	}
	return u.atLeast() + "$" + text
}

// atLeast returns "at least " if the sums omit requests for which the server reported no tokens.
func (u UsageView) atLeast() string {
	if u.Uncounted > 0 {
		return "at least "
	}
	return ""
}

// Wait returns a text with the model's latency per move.
func (u UsageView) Wait() string {
	return fmt.Sprintf("%.1f s a move", float64(u.LatencyUS)/1e6/float64(max(u.Moves, 1)))
}

// Share returns a text with the share of moves that were made without the model.
func (u UsageView) Share() string {
	if u.Fallbacks == 0 {
		return "all moves by the model"
	}
	return fmt.Sprintf("%d of %d moves by the fallback (%d %%)", u.Fallbacks, u.Moves, (100*u.Fallbacks+u.Moves/2)/max(u.Moves, 1))
}
