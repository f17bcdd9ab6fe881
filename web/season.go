package web

import (
	"context"
	"iter"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A Season is a running league, as the pages show it and the admin changes it. A manager.Manager with its Orders and
// its Registrar implements it; they document the contract of each method.
type Season interface {
	leagueReader
	leagueSituation
	orderSource
}

// A leagueReader reads a league's state and its log.
type leagueReader interface {
	Read(f func(s *league.State)) // f must not keep or change the state
	Sequence() uint64             // of the newest entry of the log
	ID() string
	View() *view.Cache // shared by all readers of the league
	Follow(ctx context.Context, after uint64) iter.Seq2[league.Happened, error]
	Ended() <-chan struct{} // closed when the league no longer runs
}

// A leagueSituation has the data of a running league that is not in its log.
type leagueSituation interface {
	Health(id string) league.Health // of an agent
	Closed(s *league.State) string  // why no further player may join; "": one may
	Refusals() []league.Refusal     // refused registrations, the newest last
	Warnings() []protocol.Warning   // recent refused attempts, the newest last; for the admin only
	Owner(secret string) string     // the player with this owner key or join key; "": none
	Suspect(what, address string)   // warns the organiser of an attempt without permission
}

// orderSource are the admin's orders. By is the actor.
type orderSource interface {
	Start(ctx context.Context, by string) error
	Pause(ctx context.Context, by string) error
	Resume(ctx context.Context, by string) error
	Cancel(ctx context.Context, by string) error
	PlaySeasons(ctx context.Context, n int, by string) error // in all; the next one follows when this one is over
	BeginDrain(ctx context.Context, by string)
	Withdraw(ctx context.Context, id, by string) error
	Rest(ctx context.Context, id string, rounds int, by string) error
	Readmit(ctx context.Context, id, code, by string) error
	Rename(ctx context.Context, id, name, by string) error
	Merge(ctx context.Context, kept, gone, by string) error
	Annul(ctx context.Context, match, why, by string) error
	Invite(ctx context.Context, role protocol.Role, names []string, by string) ([]protocol.Invitation, error)
}
