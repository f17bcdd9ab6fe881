package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"agentleague/files"
	"agentleague/metrics"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A desk is what an agent needs before it can begin: its log, who it is, the
// lock on its id, its door and its figures.
type desk struct {
	house   *house
	flags   agentFlags
	log     *files.Log
	who     *identity
	lock    *agentLock
	door    door
	figures *metrics.Agent
}

// desk sets one up. The locks come before the door: who is refused takes nothing.
func (h *house) desk(role protocol.Role, f agentFlags) (*desk, error) {
	log, err := h.AgentLog(role, h.league.LeagueID, orElse(f.id, f.name), slog.LevelDebug)
	if err != nil {
		return nil, err
	}
	d := &desk{house: h, flags: f, log: log, figures: metrics.New()}
	if d.who, err = h.identity(role, f); err == nil {
		d.lock, err = h.lock(f.id, "")
	}
	if err == nil {
		err = d.listen(role)
	}
	if err != nil {
		d.close()
		return nil, errors.Join(err, d.hangUp())
	}
	return d, nil
}

// hangUp gives back a door that was taken and is not served.
func (d *desk) hangUp() error {
	if server, ok := d.door.(*rpc.Server); ok {
		return server.Close()
	}
	return nil
}

// listen takes the agent's port, or its room on a port that it shares, and tells where that is.
func (d *desk) listen(role protocol.Role) (err error) {
	if d.door, err = d.takeDoor(role); err != nil {
		return err
	}
	if d.flags.aloud && !d.house.app.json {
		fmt.Fprintf(d.house.app.err, "%s listens at %s\n", d.flags.name, d.door.URL())
	}
	if d.lock.held == nil {
		return nil
	}
	return d.lock.held.At(d.door.URL())
}

// takeDoor takes the agent's port, or its room on a port that it shares.
func (d *desk) takeDoor(role protocol.Role) (door, error) {
	f := d.flags
	switch {
	case f.shared != nil && strings.HasPrefix(f.room, "/"):
		return f.shared.takeAt(f.room), nil
	case f.shared != nil:
		return f.shared.take(role, orElse(f.room, f.id)), nil
	}
	server, err := d.house.app.outside.listen(f.port, f.name)
	if err != nil {
		return nil, err
	}
	return server, nil
}

// options are what the agent's node is made with.
func (d *desk) options() rpc.Options {
	o := d.house.wire()
	o.Logger, o.Observe, o.Strict = d.house.logger(d.log, d.flags.name), logMessages(d.log), d.flags.strict
	return d.figures.Watch(o)
}

// registered locks the id that was granted and lets the log go under it.
func (d *desk) registered(id string) error {
	if d.lock.held == nil || id != d.flags.id {
		d.lock.release()
		var err error
		if d.lock, err = d.house.lock(id, d.door.URL()); err != nil {
			return err
		}
	}
	return d.log.Registered(d.house.league.LeagueID, id)
}

func (d *desk) close() {
	if d.lock != nil {
		d.lock.release()
	}
	if d.who != nil {
		d.who.close()
	}
	_ = d.log.Close()
}

func orElse(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

// An agentLock keeps a second agent of the same id off this root.
type agentLock struct{ held *files.Lock }

func (l *agentLock) release() {
	if l.held != nil {
		_ = l.held.Release()
	}
}

// lock locks the id that an agent asks for. Without one there is nothing to lock yet.
func (h *house) lock(id, address string) (*agentLock, error) {
	l := &agentLock{}
	if id == "" {
		return l, nil
	}
	var err error
	l.held, err = h.LockAgent(h.league.LeagueID, id, address)
	return l, err
}
