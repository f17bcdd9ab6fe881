package host

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"agentleague/rpc"
)

// An Agent is what referees and players are started with.
type Agent struct {
	Port     int
	Shared   *PathMux // nil: a port of its own
	Path     string   // there: a path such as /s/x, or a name after its role; "": that of its id
	Name, ID string   // the id it asks for
	OnlyID   bool     // it does not register under another id
	LeagueID string
	Suffix   string // tells its identity from that of others of the same name; usually ""
	Own      bool   // the manager is of this process
	Strict   bool
	JoinKey  string      // of an invitation
	Seed     []byte      // of its private key, which it then has in every root; nil: the key is the root's
	Game     string      // that it plays even if the configuration does not say so; "": none
	Taken    *rpc.Server // a port that is taken already, in place of Port; nil: none

	OneSeason bool              // it does not play on when its league is over
	Leaves    bool              // it ends when its league is over and none follows; only for referees
	Follows   func(next string) // told of each season that it goes on in; nil: nobody is

	kept    *keptDoor // that it has had since its first season
	further bool      // this is not its first season

	Listening func(url string)                  // told where it listens; nil: nobody is
	Waiting   func(err error)                   // receives why the first registration has to be repeated; nil: nobody is told
	Shutdown  func(drain func(context.Context)) // lets it finish what is in hand; nil: it ends at once
}

// left has an agent that was told to end finish what it has in hand.
func (f Agent) left(ctx context.Context, drain func(context.Context)) {
	if f.Shutdown != nil && ctx.Err() != nil {
		f.Shutdown(drain)
	}
}

// giveBack closes a port that was taken for an agent which is not started.
func (f Agent) giveBack() error {
	if f.Taken == nil {
		return nil
	}
	return f.Taken.Close()
}

// A Served agent answers at its door until its context ends.
type Served struct {
	URL   string
	Ended chan error // how that went
}

// Serve lets an agent answer at its door until ctx ends. Every agent that this
// program runs is put to its door here.
func Serve(ctx context.Context, d Door, agent http.Handler) *Served {
	out := &Served{URL: d.URL(), Ended: make(chan error, 1)}
	go func() { out.Ended <- d.Serve(ctx, agent) }()
	return out
}

// NotCancelled drops the error of an agent that was told to end.
func NotCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// plays returns the games that an agent registers for: those of its configuration, and that of the league which it is
// started for.
func (f Agent) plays(configured []string) []string {
	if f.Game == "" || slices.Contains(configured, f.Game) {
		return configured
	}
	return append(slices.Clone(configured), f.Game)
}
