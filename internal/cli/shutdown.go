package cli

import (
	"context"
	"fmt"

	"agentleague/server"
)

// shutdown lets an interrupted process finish its open work. A second interrupt stops it at once.
func (a *app) shutdown(drain func(ctx context.Context)) {
	a.stopNotify()
	fmt.Fprintln(a.err, "\nInterrupted: finishing the matches in play; press Ctrl-C again to stop at once …")
	ctx, cancel := context.WithTimeout(context.Background(), server.Patience)
	defer cancel()
	drain(ctx)
}

// shutdownServer does so with all leagues of a server.
func (a *app) shutdownServer(c *server.Server) {
	a.shutdown(c.Drain)
	a.away = c.Away
}

// ended prints the command that restarts a stopped agent.
func (a *app) ended(ctx context.Context, err error) error {
	if err == nil && ctx.Err() != nil {
		a.left()
	}
	return err
}

// left prints that an interrupted process can be restarted.
func (a *app) left() {
	fmt.Fprintln(a.err, a.kept()+" Run the same command again to continue.")
}

// kept confirms that nothing is lost, if that is so.
func (a *app) kept() string {
	if a.away != "" {
		return "Not everything is in its place: " + a.away + "."
	}
	return "Nothing is lost."
}
