package cli

import (
	"context"
	"fmt"
	"time"

	"agentleague/league"
)

// patience is how long matches in hand may take to come to their end.
const patience = 40 * time.Second

// leave lets whoever was interrupted finish what it has in hand. A second
// interrupt does not wait for that.
func (a *app) leave(drain func(ctx context.Context)) {
	a.deaf()
	fmt.Fprintln(a.err, "\nInterrupted: finishing the matches in hand; interrupt again to end at once …")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	drain(ctx)
}

// ended says how an agent can come back that has ended because it was told to.
func (a *app) ended(ctx context.Context, err error) error {
	if err == nil && ctx.Err() != nil {
		a.left()
	}
	return err
}

// left says that whoever was interrupted can come back.
func (a *app) left() {
	fmt.Fprintln(a.err, a.kept()+" Run the same command again to go on from here.")
}

// kept says that nothing is lost, if that is so.
func (a *app) kept() string {
	if a.away != "" {
		return "Not everything is in its place: " + a.away + "."
	}
	return "Nothing is lost."
}

// drained has a manager finish what it has in hand because its process is told to end.
func drained(m *league.Manager) func(ctx context.Context) {
	return func(ctx context.Context) { _ = m.Drain(ctx, "an interrupt of the manager's process") }
}
