package cli

import (
	"context"
	"fmt"
	"io"

	"agentleague/server"
)

// An interruption ends an interrupted process in order.
type interruption struct {
	err  io.Writer
	next func() // from its call on, the next interrupt ends the process
	away string // in a sentence, the log that was missing at the end
}

// drain lets an interrupted process finish its open work. A second interrupt stops it at once.
func (i *interruption) drain(finish func(ctx context.Context)) {
	i.next()
	fmt.Fprintln(i.err, "\nInterrupted: finishing the matches in play; press Ctrl-C again to stop at once …")
	ctx, cancel := context.WithTimeout(context.Background(), server.Patience)
	defer cancel()
	finish(ctx)
}

// server lets all leagues of a server finish their open work.
func (i *interruption) server(c *server.Server) {
	i.drain(c.Drain)
	i.away = c.Away
}

// ended prints the command that restarts a stopped agent.
func (i *interruption) ended(ctx context.Context, err error) error {
	if err == nil && ctx.Err() != nil {
		i.left()
	}
	return err
}

// left prints that an interrupted process can be restarted.
func (i *interruption) left() {
	fmt.Fprintln(i.err, i.kept()+" Run the same command again to continue.")
}

// kept confirms that nothing is lost, if that is so.
func (i *interruption) kept() string {
	if i.away != "" {
		return "Not everything is in its place: " + i.away + "."
	}
	return "Nothing is lost."
}
