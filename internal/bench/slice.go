package bench

import (
	"context"
	"errors"
	"time"

	"agentleague/protocol"
)

// A slice is the work of a league between two pauses.
type slice struct {
	matches, seconds float64
	used             [3]usage // by manager, referee and players
	refused          int      // messages with a wrong token, which the bench itself sent
}

// play resumes a league for length and at least a round, so that each match has its share of the broadcasts, and
// measures until no work is left.
func (a *arena) play(ctx context.Context, length time.Duration) (s slice, err error) {
	before, err := a.usage(ctx)
	if err != nil {
		return s, err
	}
	asked, goal := 0, before[manager].results+float64(a.round)
	began := time.Now()
	if err := a.order(ctx, protocol.TypeResumeLeague); err != nil {
		return s, err
	}
	if s.refused, err = a.intrude(ctx); err != nil {
		return s, err
	}
	if err := sleep(ctx, time.Until(began.Add(length))); err != nil {
		return s, err
	}
	if err := a.until(ctx, length/4, func(now [3]usage) bool {
		asked++
		return now[manager].results >= goal
	}); err != nil {
		return s, err
	}
	if err := a.order(ctx, protocol.TypePauseLeague); err != nil {
		return s, err
	}
	if err := a.until(ctx, 5*time.Millisecond, func(now [3]usage) bool {
		asked++
		s.seconds = time.Since(began).Seconds()
		return resting(now)
	}); err != nil {
		return s, err
	}
	if err := a.settle(ctx); err != nil {
		return s, err
	}
	after, err := a.usage(ctx)
	for i := range after {
		s.used[i] = after[i].minus(before[i]).without(a.scrape[i], float64(asked+1))
	}
	if s.matches = s.used[manager].results; err == nil && s.matches == 0 {
		err = errors.New("a slice in which no match was played; give it more time with --slice")
	}
	return s, err
}

// each maps slices to values.
func each(slices []slice, f func(slice) float64) (out []float64) {
	for _, s := range slices {
		out = append(out, f(s))
	}
	return out
}

// exchanges is how many calls were made and answered, as the manager and the referee counted them: the players of a
// bench make no calls.
func (s slice) exchanges() float64 { return s.used[manager].calls + s.used[referee].calls }

// The figures of a slice by second, by match and by exchange.
func (s slice) rate() float64              { return s.matches / s.seconds }
func (s slice) exchangeRate() float64      { return s.exchanges() / s.seconds }
func (s slice) exchangesPerMatch() float64 { return s.exchanges() / s.matches }
func (s slice) allocs() float64            { return s.sum(mallocs) / s.matches }
func (s slice) cpu() float64               { return 1e3 * s.sum(cpu) / s.matches }     // ms
func (s slice) exchangeCPU() float64       { return 1e6 * s.sum(cpu) / s.exchanges() } // µs
func (s slice) io() float64                { return s.sum(transfers) / s.matches }
func (s slice) refereeWrites() float64     { return s.used[referee].writes / s.matches }

// Counters that sum adds up over the agents of a slice.
func mallocs(u usage) float64   { return u.mallocs }
func cpu(u usage) float64       { return u.cpu }
func transfers(u usage) float64 { return u.io }

func (s slice) sum(f func(usage) float64) float64 {
	return f(s.used[manager]) + f(s.used[referee]) + f(s.used[players])
}
