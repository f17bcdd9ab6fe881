package cli

import (
	"fmt"
	"math"
	"time"

	"agentleague/duel"
	"agentleague/rating"
)

// A seriesReport shows what came of many games.
type seriesReport struct {
	f     *seriesFlags
	s     *duel.Series
	tally duel.Tally
	took  time.Duration
	err   error // why it ended before its end; nil: it did not, or it was stopped
}

// rate is how many games were played in a second.
func (r seriesReport) rate() float64 { return float64(r.tally.Games) / r.took.Seconds() }

// tell writes the report for people.
func (r seriesReport) tell(a *app) {
	t, c, names := r.tally, r.tally.Results(), [2]string{r.s.Sides[0].Name, r.s.Sides[1].Name}
	line := func(head, format string, args ...any) {
		fmt.Fprintf(a.out, "%-12s "+format+"\n", append([]any{head}, args...)...)
	}
	line(r.s.Game+":", "%s against %s, %d of %d games in %s, %.0f games/s", names[0], names[1], t.Games, r.f.games,
		r.took.Round(time.Millisecond), r.rate())
	line("score:", "%s won %d, drew %d, lost %d: %.1f %%", names[0], c.Wins, c.Draws, c.Losses, 100*t.Score.Mean())
	for i, seat := range []string{"first:", "second:"} {
		line("  "+seat, "won %d, drew %d, lost %d", t.Seats[i].Wins, t.Seats[i].Draws, t.Seats[i].Losses)
	}
	diff, low, high := t.Score.Elo()
	line("Elo:", "%+.0f, 95 %% interval %s to %s", diff, bound(low), bound(high))
	line("stronger:", "%s with a likelihood of %.1f %%", names[0], 100*t.Score.LOS())
	line("forfeits:", "%s %d, %s %d", names[0], t.Forfeits[0], names[1], t.Forfeits[1])
	for i, why := range t.Why {
		if why != "" {
			line("", "%s: %s", names[i], why)
		}
	}
	for i, p := range t.Moves {
		line("answers:", "%s %d, half within %s, 99 %% within %s, slowest %s", names[i], p.Answers, p.P50, p.P99, p.Max)
	}
	if q := t.SPRT; q != nil {
		line("test:", "%s (LLR %.2f, bounds %.2f and %.2f)", verdictWords(q.Verdict, names[0], *r.s.SPRT), q.LLR, q.Lower, q.Upper)
		if q.Verdict != rating.Continue {
			line("", "The Elo of a series that a test has stopped is too far from the middle; to measure it, play a "+
				"fixed number of games.")
		}
	}
	if t.Stopped != "" {
		line("stopped:", "%s", shown{fmt.Errorf("%s", t.Stopped)}.Error())
	}
}

// verdictWords say what a test has decided.
func verdictWords(v rating.Verdict, name string, t rating.SPRT) string {
	switch v {
	case rating.AcceptH1:
		return fmt.Sprintf("%s is ahead by %g Elo rather than by %g", name, t.Elo1, t.Elo0)
	case rating.AcceptH0:
		return fmt.Sprintf("%s is ahead by %g Elo rather than by %g", name, t.Elo0, t.Elo1)
	}
	return "not decided"
}

// bound is an end of an interval. Games that were all won, or all lost, set no limit on one side.
func bound(x float64) string {
	if math.IsInf(x, 0) {
		return "no limit"
	}
	return fmt.Sprintf("%+.0f", x)
}

// object is the report for programs.
func (r seriesReport) object() map[string]any {
	t, players := r.tally, []map[string]any{}
	for i, side := range r.s.Sides {
		p := t.Moves[i]
		players = append(players, map[string]any{
			"name": side.Name, "endpoint": side.Endpoint, "forfeits": t.Forfeits[i], "why": t.Why[i],
			"answers": map[string]any{"count": p.Answers, "p50_ms": millis(p.P50), "p99_ms": millis(p.P99), "max_ms": millis(p.Max)},
		})
	}
	diff, low, high := t.Score.Elo()
	out := map[string]any{
		"game_type": r.s.Game, "players": players, "games": t.Games, "wanted": r.f.games, "results": t.Results(), "by_seat": t.Seats,
		"points": t.Score.Points(), "share": t.Score.Mean(), "pairs": t.Score.Pairs,
		"elo":                       map[string]any{"diff": diff, "low": rating.Bound(low), "high": rating.Bound(high)},
		"likelihood_of_superiority": t.Score.LOS(), "paired_draws": !r.s.Unpaired, "seed": r.s.Seed,
		"elapsed_sec": r.took.Seconds(), "games_per_sec": r.rate(), "stopped": t.Stopped,
	}
	if r.err != nil {
		out["error"] = map[string]string{"message": shown{r.err}.Error()}
	}
	if t.SPRT != nil {
		out["sprt"] = t.SPRT
	}
	return out
}

// millis are milliseconds with microseconds.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
