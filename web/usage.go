package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A UsageView shows the language model usage that a player reports.
type UsageView struct{ protocol.Usage }

// usageIn returns a player's reported usage in a match; nil: none.
func usageIn(out *league.ResultRecorded, id string) *protocol.Usage {
	if u, told := out.Usage[id]; told {
		u.Model = shown(u.Model)
		return &u
	}
	return nil
}

// usageOf sums a player's reported usage in the results that count; nil: none.
func usageOf(s *league.State, id string) (sum *protocol.Usage) {
	for _, m := range s.MatchesOf(id) {
		if m.Outcome == nil {
			continue
		}
		u := usageIn(m.Outcome, id)
		if u != nil && sum != nil {
			*u = sum.Plus(*u)
		}
		if u != nil {
			sum = u
		}
	}
	return sum
}

// usageView returns a usage for people; nil: there is none.
func usageView(u *protocol.Usage) *UsageView {
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

// atLeast qualifies sums that omit requests which the server did not count.
func (u UsageView) atLeast() string {
	if u.Uncounted > 0 {
		return "at least "
	}
	return ""
}

// Wait returns the model's latency per move, in words.
func (u UsageView) Wait() string {
	return fmt.Sprintf("%.1f s a move", float64(u.LatencyUS)/1e6/float64(max(u.Moves, 1)))
}

// Share returns the share of moves without the model, in words.
func (u UsageView) Share() string {
	if u.Fallbacks == 0 {
		return "all moves by the model"
	}
	return fmt.Sprintf("%d of %d moves by the fallback (%d %%)", u.Fallbacks, u.Moves, (100*u.Fallbacks+u.Moves/2)/max(u.Moves, 1))
}

// usageNames are the columns of a usage in a spreadsheet.
var usageNames = []string{"model", "model_moves", "model_fallbacks", "model_requests", "input_tokens", "cached_tokens", "output_tokens",
	"model_ms", "cost_usd"}

// usageCells returns the cells of a usage in these columns; all empty for nil.
func usageCells(u *protocol.Usage) []string {
	if u == nil {
		return make([]string, len(usageNames))
	}
	cost := ""
	if usd, known := u.CostUSD(); known {
		cost = strconv.FormatFloat(usd, 'f', -1, 64)
	}
	return []string{
		NoFormula(u.Model), strconv.Itoa(u.Moves), strconv.Itoa(u.Fallbacks), strconv.Itoa(u.Requests), strconv.Itoa(u.InputTokens),
		strconv.Itoa(u.CachedTokens), strconv.Itoa(u.OutputTokens), strconv.Itoa(u.LatencyUS / 1000), cost,
	}
}

// withUsage adds the columns of usages to the lines of a table, the heading first, if there is any usage. The usages
// of a line have the names of the heading with one ending each.
func withUsage(lines [][]string, endings []string, usages [][]*protocol.Usage) [][]string {
	told := func(of []*protocol.Usage) bool {
		return slices.ContainsFunc(of, func(u *protocol.Usage) bool { return u != nil })
	}
	if !slices.ContainsFunc(usages, told) {
		return lines
	}
	for i, ending := range endings {
		for _, name := range usageNames {
			lines[0] = append(lines[0], name+ending)
		}
		for n, of := range usages {
			lines[n+1] = append(lines[n+1], usageCells(of[i])...)
		}
	}
	return lines
}
