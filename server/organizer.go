package server

import (
	"context"
	"errors"
	"sync"

	"agentleague/config"
	"agentleague/league/manager"
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

// configure connects a league with the others of the server, and with its seasons. The number of seasons and their
// list are only in the files of the root.
func (o *Organizer) configure(l *League) (err error) {
	m := &l.opts
	m.Elsewhere = o.sibling(l.Env.League)
	if l.ID() == o.env.League.LeagueID {
		m.Elsewhere, m.Create = o.elsewhere, o.ordered
	}
	m.Next = func(ctx context.Context) (string, error) { return o.next(ctx, l) }
	m.Seasons = func(ctx context.Context, n int, by string) error { return o.setSeasons(ctx, l, n, by) }
	m.Vacant = func() []string { return o.leagues.vacant(l.ID()) }
	if l.Env.League.Season != nil {
		m.Regulars, err = o.regulars(l.Env)
	}
	return err
}

// sibling returns a lookup of the league's other seasons, for messages that reached the wrong season.
func (o *Organizer) sibling(of config.League) func(id string) manager.OtherLeague {
	return func(id string) manager.OtherLeague {
		settings, err := o.env.Config().League(id)
		if err != nil || settings.FirstSeason() != of.FirstSeason() {
			return nil
		}
		return o.elsewhere(id)
	}
}

// elsewhere returns another league, to which a message is forwarded, or nil.
func (o *Organizer) elsewhere(id string) manager.OtherLeague {
	if other, err := o.find(id); err == nil {
		return other
	}
	return nil
}

// find returns a league. One that another process runs is reached through this server.
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
