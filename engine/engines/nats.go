package engines

import (
	"context"
	"log/slog"

	"agentleague/engine"
	"agentleague/engine/jetstream"
)

// chooseNATS is the engine whose logs are in a NATS cluster.
func chooseNATS(address string) (Choice, error) {
	o, err := jetstream.Parse(address)
	if err != nil {
		return Choice{}, err
	}
	return Choice{shared: true, open: func(ctx context.Context, dataDir string, logger *slog.Logger) (Engine, error) {
		o := o
		o.Logger = logger
		e, err := jetstream.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		return unmirrored{e}, nil
	}}, nil
}

// unmirrored is a shared engine without a copy in the root.
type unmirrored struct{ engine.Engine }

func (unmirrored) HeldAt(string) error { return nil }

func (unmirrored) Check(context.Context, string) error { return nil }
