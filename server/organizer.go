package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"agentleague/league/manager"
	"agentleague/protocol"
)

// An Organizer creates the leagues of a server and their further seasons, and archives them. It is safe for concurrent
// use.
type Organizer struct {
	*process
	placement Placement
	leagues   *Leagues

	creating sync.Mutex    // serializes the creation of leagues
	ready    chan struct{} // closed when the first league is served
	played   sync.Map      // the seasons that are over, by the ids of their leagues
}

// configure sets the options by which a league reaches other leagues of the server and its next seasons. The number of
// seasons is stored only in the files of the data directory.
func (o *Organizer) configure(l *League) (err error) {
	m := &l.opts
	m.Elsewhere = func(id string) manager.OtherLeague { return o.elsewhere(l, id) }
	if l.ID() == o.env.League.LeagueID {
		m.Create = o.ordered
	}
	m.Next = func(ctx context.Context) (string, error) { return o.next(ctx, l) }
	m.Seasons = func(ctx context.Context, n int, by string) error { return o.setSeasons(ctx, l, n, by) }
	m.Vacant = func() []string { return o.leagues.vacant(l.ID()) }
	if l.Env.League.Season != nil {
		m.Regulars, err = o.regulars(l.Env)
	}
	return err
}

// elsewhere returns the league to which a message that names id must be forwarded; nil if l handles it itself. The
// first league forwards to any other league, the others only to their own seasons.
func (o *Organizer) elsewhere(l *League, id string) manager.OtherLeague {
	if l.ID() != o.env.League.LeagueID {
		settings, err := o.env.Config().League(id)
		if err != nil || settings.FirstSeason() != l.Env.League.FirstSeason() {
			return nil
		}
	}
	if other, err := o.find(id); err == nil {
		return other
	}
	return nil
}

// find returns a league of this server. For a league that another process runs it returns [manager.Abroad], which
// refers the sender of a message to the league's endpoint.
func (o *Organizer) find(id string) (manager.OtherLeague, error) {
	l, err := o.leagues.Visit(id)
	if errors.Is(err, ErrElsewhere) {
		return manager.Abroad(id, o.reachedAt(o.endpoint(id))), nil
	}
	if err != nil {
		return nil, err
	}
	return l.Manager, nil
}

// Archive archives a league or, if back is set, restores it. An archived league is closed, is hidden from lists unless
// requested, and is not played. Its files stay for verification, and the pages of a finished one can be read. The first
// league and leagues in play cannot be archived.
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
		err := o.env.Leagues().Unarchive(id)
		o.leagues.SetArchived(id, err != nil)
		return err
	}
	if err := o.env.Leagues().Archive(id, by); err != nil {
		return o.refused(err)
	}
	o.leagues.SetArchived(id, true)
	return o.leagues.Release(id)
}
