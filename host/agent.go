package host

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"agentleague/rpc"
)

// An Agent is the configuration of a referee or player.
type Agent struct {
	Port     int
	Shared   *PathMux // nil: a separate port
	Path     string   // there: a path such as /s/x, or a name after its role; "": that of its id
	Name, ID string   // the id it asks for
	OnlyID   bool     // it does not register under another id
	LeagueID string
	Suffix   string // separates its identity from those of other agents with the same name; usually ""
	Own      bool   // the manager is of this process
	Strict   bool
	Profile  string      // the wire format of its messages; in any but the default it registers without a key
	JoinKey  string      // of an invitation
	Seed     []byte      // of its private key, which it then has in every root; nil: the key is the root's
	Game     string      // a game that it plays in addition to the configured ones; "": none
	Taken    *rpc.Server // a port that is taken already, in place of Port; nil: none

	OneSeason bool              // it does not play on when its league is over
	Leaves    bool              // it ends when its league is over and none follows; only for referees
	Follows   func(next string) // is called for each further season; may be nil

	kept    *keptListener // that it has had since its first season
	further bool          // this is not its first season

	Listening func(url string)                  // is called with the agent's address; may be nil
	Waiting   func(err error)                   // is called at a retry of the registration, for each new reason; may be nil
	Note      func(text string)                 // is called with each change of its connection with the manager; may be nil
	Shutdown  func(drain func(context.Context)) // lets it finish open work; nil: it ends at once
}

// left calls Shutdown, which lets a stopped agent finish its open work, if ctx has ended.
func (f Agent) left(ctx context.Context, drain func(context.Context)) {
	if f.Shutdown != nil && ctx.Err() != nil {
		f.Shutdown(drain)
	}
}

// giveBack closes a port that was opened for an agent which is not started after all.
func (f Agent) giveBack() error {
	if f.Taken == nil {
		return nil
	}
	return f.Taken.Close()
}

// A Served agent answers at its endpoint until its context ends.
type Served struct {
	URL   string
	Ended chan error // how that went
}

// Serve serves an agent at its endpoint, in a new goroutine, until ctx ends. Every agent of this program is served by
// this function.
func Serve(ctx context.Context, d Listener, agent http.Handler) *Served {
	out := &Served{URL: d.URL(), Ended: make(chan error, 1)}
	go func() { out.Ended <- d.Serve(ctx, agent) }()
	return out
}

// NotCancelled returns nil for a cancellation error, and any other error unchanged.
func NotCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// plays returns the games that an agent registers for: the configured ones, and that of the league it is started for.
func (f Agent) plays(configured []string) []string {
	if f.Game == "" || slices.Contains(configured, f.Game) {
		return configured
	}
	return append(slices.Clone(configured), f.Game)
}
