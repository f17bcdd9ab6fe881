package server

import (
	"log/slog"
	"time"

	"agentleague/store"
)

// retentionEvery is the interval at which old match records are removed.
const retentionEvery = time.Hour

// removeRecords removes match records of finished leagues beyond the configured limits, now and periodically until the
// server ends.
func (s *Server) removeRecords() {
	limits := s.env.System.Records
	how := store.Retention{MaxAge: time.Duration(limits.MaxAgeDays) * 24 * time.Hour, MaxLeagues: limits.MaxLeagues}
	remove := func() {
		removed, err := s.env.Leagues().RemoveRecords(how, time.Now())
		for _, id := range removed {
			s.logger.Info("the match records of a finished league were removed", slog.String("league_id", id))
		}
		if err != nil {
			s.logger.Error("old match records cannot be removed", slog.Any("error", err))
		}
	}
	remove()
	s.Leagues.every(retentionEvery, remove)
}
