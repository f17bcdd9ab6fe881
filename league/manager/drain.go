package manager

import (
	"context"
	"log/slog"
	"time"

	"agentleague/league"
)

// Drain lets no further match start and returns when those in play are recorded, or cannot be because the disk is
// full, or with an error when ctx ends. The league continues when an operator resumes it or a manager opens it again.
// The log records the drain if there was anything to drain.
func (org *organizer) Drain(ctx context.Context, by string) error {
	org.BeginDrain(ctx, by)
	named := time.Now().Add(nameAfter)
	for org.dispatch.playing() && org.full() == "" {
		if !named.IsZero() && time.Now().After(named) {
			named = time.Time{}
			org.warn("waiting for the matches in play: " + org.dispatch.inPlay())
		}
		if err := org.Node.Sleep(ctx, "drain", 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// nameAfter is how long a drain takes before it names the matches that it waits for.
const nameAfter = 2 * time.Second

// BeginDrain lets no further match start and does not wait for those in play.
func (org *organizer) BeginDrain(ctx context.Context, by string) {
	by = signed(by)
	org.info("drain ordered", slog.String("by", by))
	if first := org.drainage.begin(by); !first || by == "" {
		return
	}
	// A failed write does not prevent shutdown.
	_ = org.do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Completed() {
			return nil, nil
		}
		return []league.Event{league.Drained{By: by}}, nil
	})
}

// Release lets matches start, after a Drain or in a league that was opened with
// Options.Hold.
func (org *organizer) Release() {
	org.drainage.end()
	org.kick()
}
