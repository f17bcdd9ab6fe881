package engines

import (
	"context"
	"fmt"
	"log/slog"

	"agentleague/engine/journal"
)

// chooseJournal is the engine with its logs in files of the data directory.
func chooseJournal(address string, _ Options) (Choice, error) {
	if address != "" && address != defaultEngine {
		return Choice{}, fmt.Errorf("%s takes nothing after its name, got %q", defaultEngine, address)
	}
	return Choice{open: openJournal, bare: bareJournal}, nil
}

// openJournal opens the engine on disk.
func openJournal(_ context.Context, dataDir string, logger *slog.Logger) (Engine, error) {
	e, err := journal.Open(dataDir, journal.Options{Logger: logger})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// bareJournal opens the same engine for maintenance of its logs, such as restoring them.
func bareJournal(_ context.Context, dataDir string, logger *slog.Logger) (Bare, error) {
	e, err := journal.Open(dataDir, journal.Options{Logger: logger})
	if err != nil {
		return nil, err
	}
	return e, nil
}
