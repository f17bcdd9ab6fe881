package manager

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/league"
)

// ErrNotNow is the error of Options.Next for a temporary failure; the manager retries the call.
var ErrNotNow = errors.New("the next season cannot be created now")

// recordsTimeout limits the wait for the records of a season that has a next one. Once the referees have joined the
// next season, the records of this one cannot be fetched any more.
const recordsTimeout = 20 * time.Second

// nextSeason returns the id of the next season, or "" if there is none; known is false while the next season may still
// be created.
func (b *broadcaster) nextSeason(s *league.State) (id string, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opts.Next == nil || s.Cancelled || s.Announced[league.Announced{What: "league"}] {
		return "", true
	}
	if b.nextID == nil {
		return "", false
	}
	return *b.nextID, true
}

// makeNext creates the next season before the end of this one is announced. It retries after a temporary failure; a
// permanent failure does not delay the announcement.
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
		within, cancel := context.WithTimeout(b.ctx, recordsTimeout)
		b.settle(within)
		cancel()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nextID = &next
}
