package referee

import (
	"context"
	"fmt"
	"log/slog"
)

// keepRecord returns once the record is durable.
func (m *match) keepRecord(ctx context.Context, f Finished) error {
	return m.durably(ctx, func() error { return m.r.opts.Recorder.Record(ctx, f) })
}

// durably returns once what was played is kept. It does not give up: a full
// disk is not the players' fault, and what they have played is not played again.
// Until then nobody hears how the match ended, and it takes up its room.
func (m *match) durably(ctx context.Context, keep func() error) error {
	defer m.r.letGo(m)
	for {
		err := keep()
		if err == nil {
			return nil
		}
		m.r.hold(m, err)
		if m.r.Node.Sleep(ctx, "record "+m.start.MatchID, again) != nil {
			return fmt.Errorf("match %s: record: %w", m.start.MatchID, err)
		}
	}
}

// hold notes a match that cannot be recorded just now. The referee says so
// once, however many there are.
func (r *Referee) hold(m *match, err error) {
	r.mu.Lock()
	first := len(r.held) == 0
	r.held[m] = true
	r.mu.Unlock()
	if first {
		r.Node.Logger.Error("a match cannot be recorded: it is held, and tried again until it can be",
			slog.String("match_id", m.start.MatchID), slog.Any("error", err))
	}
}

// letGo notes that a match is held no longer, and says so after the last.
func (r *Referee) letGo(m *match) {
	r.mu.Lock()
	last := r.held[m] && len(r.held) == 1
	delete(r.held, m)
	r.mu.Unlock()
	if last && m.ctx.Err() == nil {
		r.Node.Logger.Warn("matches can be recorded again", slog.String("match_id", m.start.MatchID))
	}
}
