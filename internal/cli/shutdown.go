package cli

import (
	"context"
	"fmt"
	"io"

	"agentleague/server"
)

// An interruption handles interrupts of a process: it drains open work and prints how to continue.
type interruption struct {
	err  io.Writer
	next func() // from its call on, the next interrupt ends the process
	away string // in a sentence, the log that was missing at the end
}

// drain calls finish, which completes the open work, with a timeout. A second interrupt ends the process at once.
func (i *interruption) drain(finish func(ctx context.Context)) {
	i.next()
	fmt.Fprintln(i.err, "\nInterrupted: finishing the matches in play; press Ctrl-C again to stop at once …")
	ctx, cancel := context.WithTimeout(context.Background(), server.Patience)
	defer cancel()
	finish(ctx)
}

// server drains all leagues of a server.
func (i *interruption) server(c *server.Server) {
	i.drain(c.Drain)
	i.away = c.Away
}

// ended prints how to restart an agent if ctx ended it without an error, and returns err.
func (i *interruption) ended(ctx context.Context, err error) error {
	if err == nil && ctx.Err() != nil {
		i.left()
	}
	return err
}

// left prints that the same command continues the interrupted process.
func (i *interruption) left() {
	fmt.Fprintln(i.err, i.kept()+" Run the same command again to continue.")
}

// kept returns a sentence: nothing is lost, or the log file that is missing.
func (i *interruption) kept() string {
	if i.away != "" {
		return "Not everything is in its place: " + i.away + "."
	}
	return "Nothing is lost."
}
