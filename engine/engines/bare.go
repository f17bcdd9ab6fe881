package engines

import (
	"context"
	"errors"
	"log/slog"

	"agentleague/engine"
)

// A Bare engine is one without what a running manager keeps beside it. It takes logs and secrets as another engine
// kept them.
type Bare interface {
	engine.Engine
	engine.Restorer
}

// Bare opens the engine itself for the root whose data are in a folder: that of a cluster without a copy in the root.
func (c Choice) Bare(ctx context.Context, dataDir string, logger *slog.Logger) (Bare, error) {
	switch {
	case c.bare != nil:
		return c.bare(ctx, dataDir, logger)
	case c.open == nil:
		return bareJournal(ctx, dataDir, logger)
	}
	return nil, errors.New("nothing can be restored into this engine")
}
