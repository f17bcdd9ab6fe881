package server

import (
	"context"
	"errors"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/store"
)

// The reasons why a root makes no join keys without its manager.
var (
	ErrOver    = errors.New("the league is over")
	ErrStarted = errors.New("the league has started")
)

// InviteClosed creates join keys in a root whose manager does not run and will run at an address. It opens the league
// only to append the invitations to its log, and uses no network. It returns a [journal.InUseError] if a manager runs, ErrOver or ErrStarted.
func InviteClosed(ctx context.Context, h *host.Env, at string, role protocol.Role, names []string, by string) (
	list []protocol.Invitation, err error) {
	disk, err := journal.Open(h.DataDir(), journal.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, disk.Close()) }()
	if err := mayInvite(h); err != nil {
		return nil, err
	}
	o, err := ManagerOptions(h)
	if err != nil {
		return nil, err
	}
	o.Endpoint, o.Holder, o.Version, o.Projector = at, at, host.Version(), store.NewProjector(h.Root)
	o.Hold, o.Window, o.StartPlayers, o.Records, o.Room = true, -1, 0, nil, nil
	life, end := context.WithCancel(ctx)
	m, err := manager.Open(life, disk, o)
	if err != nil {
		end()
		return nil, err
	}
	list, err = m.Registrar.Invite(ctx, role, names, by)
	end()
	m.Wait()
	return list, err
}

// mayInvite returns an error if a league has started or is over.
func mayInvite(h *host.Env) error {
	past, err := store.Fold(journal.Path(h.DataDir(), h.League.LeagueID))
	switch {
	case err != nil:
		return err
	case past.Completed():
		return ErrOver
	case past.Ordered || past.Started():
		return ErrStarted
	}
	return nil
}
