package engines

import (
	"context"
	"errors"
	"log/slog"

	"agentleague/engine"
)

// A Bare engine lacks the services of a running manager. It accepts restored logs and secrets.
type Bare interface {
	engine.Engine
	engine.Restorer
}

// Bare opens the engine itself for the data directory with that data/ folder: that of a cluster without a copy in the
// data directory.
func (c Choice) Bare(ctx context.Context, dataDir string, logger *slog.Logger) (Bare, error) {
	switch {
	case c.bare != nil:
		return c.bare(ctx, dataDir, logger)
	case c.open == nil:
		return bareJournal(ctx, dataDir, logger)
	}
	return nil, errors.New("nothing can be restored into this engine")
}
