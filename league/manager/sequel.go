package manager

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// ErrNotNow is what Options.Next fails with when a later try may do better.
var ErrNotNow = errors.New("the next season cannot be created now")

// settleWithin is how long the referees of a league that goes on are waited for: once they are in the next season, the
// records of this one cannot be fetched from them any more.
const settleWithin = 20 * time.Second

// nextSeason returns the season after this one, "" if there is none, once that is known.
func (b *broadcaster) nextSeason(s *league.State) (id string, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opts.Next == nil || s.Announced[league.Announced{What: "league"}] {
		return "", true
	}
	if b.sequel == nil {
		return "", false
	}
	return *b.sequel, true
}

// makeNext has the next season made before anybody is told to go there. A season that cannot be
// made keeps nobody from hearing that this one is over, unless it can be made later.
func (b *broadcaster) makeNext() {
	next, err := b.opts.Next(b.ctx)
	for errors.Is(err, ErrNotNow) && b.Node.Sleep(b.ctx, "next season", time.Second) == nil {
		next, err = b.opts.Next(b.ctx)
	}
	if b.ctx.Err() != nil {
		return
	}
	if err != nil {
		b.warn("the next season cannot be created: "+err.Error(), slog.String("league_id", b.opts.LeagueID))
	}
	if next != "" {
		within, cancel := context.WithTimeout(b.ctx, settleWithin)
		b.settle(within)
		cancel()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sequel = &next
}

// goesOn tells a native agent that comes back when the league is over in which one it plays on, or "".
func (reg *registrar) goesOn(ctx context.Context, a *league.Agent) string {
	over := false
	reg.Read(func(s *league.State) { over = s.Completed() })
	if !over || !a.Native() || reg.opts.Next == nil {
		return ""
	}
	next, err := reg.opts.Next(ctx)
	if err != nil {
		reg.warn("the next season cannot be created: "+err.Error(), slog.String("league_id", reg.opts.LeagueID))
	}
	return next
}

// directs tells an applicant that came too late which leagues it can join.
func (reg *registrar) directs(no *league.Rejection) *league.Rejection {
	late := false
	reg.Read(func(s *league.State) { late = s.Started() })
	if !late || no.Of != "" || no.Kind != protocol.RegistrationClosed || reg.opts.Vacant == nil {
		return no
	}
	open := reg.opts.Vacant()
	if len(open) == 0 {
		return no
	}
	out := *no
	out.Reason += "; open for registration here: " + strings.Join(open, ", ")
	out.Advice = "Register with league_id " + open[0]
	return &out
}
