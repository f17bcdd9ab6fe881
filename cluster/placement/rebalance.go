package placement

import (
	"context"
	"log/slog"

	"agentleague/server"
)

// level moves leagues to other managers, one at a time, while another manager plays at least two fewer: after a
// manager has returned or joined. Most leagues go on concurrently.
func (c *reconciler) level() {
	for {
		changed := c.member.Changed()
		if id, to, more := c.member.Surplus(); more {
			c.handOn(id, to)
		}
		select {
		case <-changed:
		case <-c.life.Done():
			return
		}
	}
}

// handOn moves a league to another member after its matches in play have ended and their records are stored, because
// the next manager may not reach the referees of this process. Matches that take longer than [server.Patience] are left to
// the next manager, as after a crash. If the move fails, the league goes on here.
func (c *reconciler) handOn(id, to string) {
	l, done := c.leagues.HoldOpen(id)
	if l != nil {
		ctx, cancel := context.WithTimeout(c.life, server.Patience)
		defer cancel()
		_ = l.Manager.Drain(ctx, "another manager that has less to do") // or the matches took too long
		l.Manager.Settle(ctx)
		done()
	}
	if err := c.member.Give(c.life, id, to); err != nil && c.life.Err() == nil {
		c.logger.Warn("a league was not handed on", slog.String("league_id", id), slog.Any("error", err))
	}
	if _, mine, _ := c.member.Owner(id); mine && l != nil {
		l.Manager.Release()
	}
}
