package server

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"agentleague/engine/engines"
	"agentleague/engine/journal"
	"agentleague/engine/sim"
)

// memory is an engine that has no files.
type memory struct{ *sim.Engine }

func (memory) HeldAt(string) error                    { return nil }
func (memory) KeepHead(context.Context, string) error { return nil }
func (memory) Check(context.Context, string) error    { return nil }

// A server keeps its logs in the engine that it is given, and in no file besides.
func TestServerUsesTheEngineThatItIsGiven(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	kept := sim.New(1)
	c, err := Open(ctx, h, Options{Engine: engines.Own(false, func(context.Context, string, *slog.Logger) (engines.Engine, error) {
		return memory{kept.Open(sim.Options{})}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Entries(h.League.LeagueID)) == 0 {
		t.Error("the engine has nothing of the league")
	}
	if _, err := os.Stat(journal.Path(h.DataDir(), h.League.LeagueID)); err == nil {
		t.Error("there is a journal besides")
	}
	stop()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
