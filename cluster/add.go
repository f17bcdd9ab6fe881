package cluster

import (
	"context"

	"agentleague/engine"
)

// Add makes a league known to the members without being one, as who restores a backup does: it is then given to one of
// them, or, while there is none, to the first that joins. Adding the same again does nothing; a league of that name
// that is set up otherwise is [ErrExists].
func Add(ctx context.Context, e engine.Engine, id string, settings []byte) error {
	m := &Member{o: Options{Name: "nobody"}, log: e, state: &State{}, changed: make(chan struct{})}
	return m.Make(ctx, id, settings)
}
