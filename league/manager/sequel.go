package manager

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/league"
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
	if b.opts.Next == nil || s.Cancelled || s.Announced[league.Announced{What: "league"}] {
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
