package server

import (
	"context"
	"log/slog"
)

// level hands leagues on as long as another manager has two fewer to play: when one has come back, or joined. One after
// the other, so that most leagues are played meanwhile.
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

// handOn gives a league to another member once its matches in play have come to their end and their records are kept:
// whoever has it next may not reach the referees that this process runs. Whatever takes longer than [Patience] is left
// to the next manager as after a death. A league that was not handed on after all goes on here.
func (s *shared) handOn(id, to string) {
	l, done := s.holdOpen(id)
	if l != nil {
		ctx, cancel := context.WithTimeout(s.life, Patience)
		defer cancel()
		_ = l.Manager.Drain(ctx, "another manager that has less to do") // or they took too long
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
