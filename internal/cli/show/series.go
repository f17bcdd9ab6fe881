package show

import (
	"fmt"
	"io"
	"math"
	"time"

	"agentleague/duel"
	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/rating"
)

// A Series is the result of many games.
type Series struct {
	*duel.Series
	Tally  duel.Tally
	Took   time.Duration
	Err    error  // the reason of an early end; nil: complete, or stopped by a test
	Replay string // the command that shows the first game again; "": no records are kept
}

// rate is how many games were played in a second.
func (r Series) rate() float64 { return float64(r.Tally.Games) / r.Took.Seconds() }

// Print prints the result for people.
func (r Series) Print(out io.Writer) {
	t, c, names := r.Tally, r.Tally.Results(), [2]string{r.Sides[0].Name, r.Sides[1].Name}
	line := func(head, format string, args ...any) {
		fmt.Fprintf(out, "%-12s "+format+"\n", append([]any{head}, args...)...)
	}
	line(r.Game+":", "%s against %s, %d of %d games in %s, %.3g a second", names[0], names[1], t.Games, r.Series.Games,
		r.Took.Round(time.Millisecond), r.rate())
	line("score:", "%s won %d, drew %d, lost %d: %.1f %%", names[0], c.Wins, c.Draws, c.Losses, 100*t.Score.Mean())
	for i, seat := range []string{"first:", "second:"} {
		line("  "+seat, "won %d, drew %d, lost %d", t.Seats[i].Wins, t.Seats[i].Draws, t.Seats[i].Losses)
	}
	line("games:", "%d different ones; seed %s", t.Distinct, r.Seed)
	if few := r.tooAlike(); few != "" {
		line("Elo:", "not estimated: %s", few)
	} else {
		diff, low, high := t.Score.Elo()
		line("Elo:", "%+.0f, 95 %% interval %s", diff, interval(low, high))
		line("stronger:", "%s", stronger(names, t.Score.LOS()))
	}
	line("forfeits:", "%s %d, %s %d", names[0], t.Forfeits[0], names[1], t.Forfeits[1])
	for i, why := range t.Why {
		if why != "" {
			line("", "%s: %s", names[i], why)
		}
	}
	for i, p := range t.Moves {
		line("answers:", "%s %d, half within %s, 99 %% within %s, slowest %s", names[i], p.Answers, p.P50, p.P99, p.Max)
	}
	for i, u := range t.Usage {
		if u.Moves > 0 {
			line("model:", "%s: %s", names[i], usageWords(u))
		}
	}
	if q := t.SPRT; q != nil {
		line("test:", "%s (LLR %.2f, bounds %.2f and %.2f)", verdictWords(q.Verdict, names[0], *r.SPRT), q.LLR, q.Lower, q.Upper)
		if q.Verdict != rating.Continue {
			line("", "The Elo of a series that a test has stopped is too far from the middle; to measure it, play a "+
				"fixed number of games.")
		}
	}
	if r.Replay != "" {
		fmt.Fprintf(out, "The records are kept; see the first game again with:\n  %s\n", r.Replay)
	}
	if t.Stopped != "" {
		line("stopped:", "%s", term.PlainLines(t.Stopped))
	}
}

// verdictWords describe the decision of a test.
func verdictWords(v rating.Verdict, name string, t rating.SPRT) string {
	switch v {
	case rating.AcceptH1:
		return fmt.Sprintf("%s is ahead by %g Elo rather than by %g", name, t.Elo1, t.Elo0)
	case rating.AcceptH0:
		return fmt.Sprintf("%s is ahead by %g Elo rather than by %g", name, t.Elo0, t.Elo1)
	}
	return "not decided"
}

// fewest is the number of different games that an estimate needs: without chance, a repeated game adds no
// information.
const fewest = 10

// tooAlike explains why the games allow no estimate, or returns "".
func (r Series) tooAlike() string {
	t := r.Tally
	if t.Distinct >= min(fewest, t.Games) && t.Games > 0 {
		return ""
	}
	few := fmt.Sprintf("only %d of %d games differ, because neither player leaves anything to chance", t.Distinct, t.Games)
	if g, err := r.Rules.Lookup(r.Game); err == nil && duel.UsualOpenings(g).Moves > 0 {
		few += "; for others, give a larger number of --openings"
	}
	return few
}

// interval is a range of ratings. Games that were all won, or all lost, set no limit on one side.
func interval(low, high float64) string {
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return "without bounds"
	case math.IsInf(low, 0):
		return fmt.Sprintf("below %+.0f", high)
	case math.IsInf(high, 0):
		return fmt.Sprintf("above %+.0f", low)
	}
	return fmt.Sprintf("%+.0f to %+.0f", low, high)
}

// stronger names the stronger player, by the probability that it is the first.
func stronger(names [2]string, first float64) string {
	name, share := names[0], 100*first
	if share < 50 {
		name, share = names[1], 100-share
	}
	if share < 50.05 {
		return "neither (50 % each)"
	}
	return fmt.Sprintf("%s (%.1f %%)", name, share)
}

// usageWords describe the use of a language model.
func usageWords(u protocol.Usage) string {
	words := fmt.Sprintf("%d tokens in, %d out, %d of %d moves without the model", u.InputTokens, u.OutputTokens, u.Fallbacks, u.Moves)
	if cost, known := u.CostUSD(); known {
		words += fmt.Sprintf(", %.4f US dollars", cost)
	}
	return words
}

// Object returns the result for programs. Only timing differs between two runs with the same seed.
func (r Series) Object() map[string]any {
	t, c := r.Tally, r.Tally.Results()
	var players, answers, usage []map[string]any
	for i, side := range r.Sides {
		p, u := t.Moves[i], t.Usage[i]
		players = append(players, map[string]any{
			"name": side.Name, "endpoint": side.Endpoint, "forfeits": t.Forfeits[i], "why": t.Why[i], "answers": p.Answers,
		})
		answers = append(answers, map[string]any{"p50_ms": millis(p.P50), "p99_ms": millis(p.P99), "max_ms": millis(p.Max)})
		if u.Moves == 0 {
			continue
		}
		used := map[string]any{
			"name": side.Name, "model": u.Model, "moves": u.Moves, "fallbacks": u.Fallbacks,
			"input_tokens": u.InputTokens, "output_tokens": u.OutputTokens,
		}
		if cost, known := u.CostUSD(); known {
			used["cost_usd"] = cost
		}
		usage = append(usage, used)
	}
	out := map[string]any{
		"game_type": r.Game, "players": players, "games": t.Games, "wanted": r.Series.Games, "distinct_games": t.Distinct,
		"won": c.Wins, "drawn": c.Draws, "lost": c.Losses, "by_seat": t.Seats,
		"points": t.Score.Points(), "share": t.Score.Mean(), "pairs": t.Score.Pairs,
		"paired_draws": !r.Unpaired, "seed": r.Seed, "stopped": t.Stopped,
		"timing": map[string]any{"elapsed_sec": r.Took.Seconds(), "games_per_sec": r.rate(), "answers": answers},
	}
	if few := r.tooAlike(); few != "" {
		out["elo"] = map[string]any{"reason": few}
	} else {
		diff, low, high := t.Score.Elo()
		out["elo"] = map[string]any{"diff": diff, "low": rating.Bound(low), "high": rating.Bound(high)}
		out["likelihood_of_superiority"] = t.Score.LOS()
	}
	if usage != nil {
		out["usage"] = usage
	}
	if r.Err != nil {
		out["error"] = map[string]string{"message": term.PlainLines(r.Err.Error())}
	}
	if t.SPRT != nil {
		out["sprt"] = t.SPRT
	}
	return out
}

// millis are milliseconds with microseconds.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
