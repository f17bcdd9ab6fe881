package cluster

import (
	"context"

	"agentleague/engine"
)

// Add makes a league known to the cluster without joining it, to restore a backup. The league is assigned to a
// member, or to the first that joins. Add is idempotent; a league of that name with other settings is [ErrExists].
func Add(ctx context.Context, e engine.Engine, id string, settings []byte) error {
	return outside(e).Make(ctx, id, settings)
}

// Leagues lists the leagues of a cluster, the oldest first, for a process that is no member.
func Leagues(ctx context.Context, e engine.Engine) ([]League, error) {
	m := outside(e)
	if err := m.refresh(ctx); err != nil {
		return nil, err
	}
	return m.Leagues(), nil
}

// outside reads and writes the log without a lease.
func outside(e engine.Engine) *Member {
	return &Member{o: Options{Name: "nobody"}, log: e, state: &State{}, changed: make(chan struct{})}
}
