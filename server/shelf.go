package server

import (
	"context"
	"fmt"

	"agentleague/protocol"
)

// Archive archives a league, or restores it. An archived league is closed, hidden from lists unless requested, and not
// run; its files stay for verification, and the pages of a finished one can be read. The first league and leagues in
// play cannot be archived.
func (o *Organizer) Archive(ctx context.Context, id string, back bool, by string) error {
	p := o.leagues.place(id)
	state, _ := o.placement.State(id)
	switch {
	case p == nil:
		return ErrNoLeague
	case p.stays:
		return fmt.Errorf("%s is the league that this manager was started for; archive it while another is", id)
	case state == protocol.RunningLeague && !back:
		return fmt.Errorf("%s is being played; wait for its end", id)
	}
	if err := o.placement.Archive(ctx, id, !back); err != nil {
		return err
	}
	if back {
		err := o.env.Shelf().Take(id)
		o.leagues.SetArchived(id, err != nil)
		return err
	}
	if err := o.env.Shelf().Put(id, by); err != nil {
		return o.refused(err)
	}
	o.leagues.SetArchived(id, true)
	return o.leagues.Release(id)
}
