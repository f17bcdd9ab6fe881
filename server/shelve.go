package server

import (
	"context"
	"errors"
	"fmt"

	"agentleague/protocol"
)

// errArchived means that a league does not run because it is archived.
var errArchived = errors.New("the league is archived; its admin can bring it back")

// shelve archives a league, or restores it. An archived league is closed, hidden from lists unless requested, and not
// run; its files stay for verification, and the pages of a finished one can be read. The first league and leagues in
// play cannot be archived.
func (c *Server) shelve(ctx context.Context, id string, back bool, by string) error {
	p := c.place(id)
	state, _ := c.State(id)
	if c.shared != nil {
		state, _ = c.shared.State(id)
	}
	switch {
	case p == nil:
		return errNoLeague
	case p.stays:
		return fmt.Errorf("%s is the league that this manager was started for; archive it while another is", id)
	case state == protocol.RunningLeague && !back:
		return fmt.Errorf("%s is being played; wait for its end", id)
	}
	if c.shared != nil {
		if err := c.shared.member.Archive(ctx, id, !back); err != nil {
			return err
		}
	}
	if back {
		err := c.env.Shelf().Take(id)
		p.archive(err != nil)
		return err
	}
	if err := c.env.Shelf().Put(id, by); err != nil {
		return c.refused(err)
	}
	p.archive(true)
	return c.release(id)
}

// archive sets the archived flag of a place.
func (p *place) archive(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.archived = away
}

// shut reports whether the league must not be opened: it is archived and not over. The caller holds the lock.
func (p *place) shut() bool { return p.archived && !protocol.IsOver(p.state) }

// Archived reports whether a league is archived.
func (c *places) Archived(id string) bool {
	p := c.place(id)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.archived
}
