package server

import (
	"context"
	"log/slog"
)

// level moves leagues to other managers, one at a time, while another manager plays at least two fewer: after a
// manager has returned or joined. Most leagues go on concurrently.
func (s *shared) level() {
	for {
		changed := s.member.Changed()
		if id, to, more := s.member.Surplus(); more {
			s.handOn(id, to)
		}
		select {
		case <-changed:
		case <-s.life.Done():
			return
		}
	}
}

// handOn moves a league to another member after its matches in play have ended and their records are stored, because
// the next manager may not reach the referees of this process. Matches that take longer than [Patience] are left to
// the next manager, as after a crash. If the move fails, the league goes on here.
func (s *shared) handOn(id, to string) {
	l, done := s.holdOpen(id)
	if l != nil {
		ctx, cancel := context.WithTimeout(s.life, Patience)
		defer cancel()
		_ = l.Manager.Drain(ctx, "another manager that has less to do") // or the matches took too long
		l.Manager.Settle(ctx)
		done()
	}
	if err := s.member.Give(s.life, id, to); err != nil && s.life.Err() == nil {
		s.logger.Warn("a league was not handed on", slog.String("league_id", id), slog.Any("error", err))
	}
	if _, mine, _ := s.member.Owner(id); mine && l != nil {
		l.Manager.Release()
	}
}
