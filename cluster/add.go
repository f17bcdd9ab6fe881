package cluster

import (
	"context"

	"agentleague/engine"
)

// Add makes a league known to the members without being one, as who restores a backup does: it is then given to one of
// them, or, while there is none, to the first that joins. Adding the same again does nothing; a league of that name
// that is set up otherwise is [ErrExists].
func Add(ctx context.Context, e engine.Engine, id string, settings []byte) error {
	return outside(e).Make(ctx, id, settings)
}

// Leagues lists the leagues of a cluster, the oldest first, for who is no member.
func Leagues(ctx context.Context, e engine.Engine) ([]League, error) {
	m := outside(e)
	if err := m.refresh(ctx); err != nil {
		return nil, err
	}
	return m.Leagues(), nil
}

// outside is who reads and writes the log and has no lease.
func outside(e engine.Engine) *Member {
	return &Member{o: Options{Name: "nobody"}, log: e, state: &State{}, changed: make(chan struct{})}
}
