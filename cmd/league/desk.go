package main

import (
	"fmt"
	"log/slog"

	"agentleague/files"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A desk is what an agent needs before it can begin: its log, the lock on its
// id, and its door.
type desk struct {
	house *house
	flags agentFlags
	log   *files.Log
	lock  *agentLock
	door  door
}

// desk sets one up. The lock comes before the door: who is refused takes nothing.
func (h *house) desk(role protocol.Role, f agentFlags) (*desk, error) {
	log, err := h.AgentLog(role, h.league.LeagueID, orName(f.id, f.name), slog.LevelDebug)
	if err != nil {
		return nil, err
	}
	d := &desk{house: h, flags: f, log: log}
	if d.lock, err = h.lock(f.id, address(f.port)); err == nil {
		d.door, err = f.takeDoor(role)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// takeDoor takes the agent's port, or its room on a port that it shares.
func (f agentFlags) takeDoor(role protocol.Role) (door, error) {
	if f.shared != nil {
		return f.shared.take(role, f.id), nil
	}
	return listen(f.port, f.name)
}

// options are what the agent's node is made with.
func (d *desk) options() rpc.Options {
	return rpc.Options{Logger: d.house.logger(d.log, d.flags.name), Observe: logMessages(d.log), Strict: d.flags.strict}
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
	_ = d.log.Close()
}

func orName(id, name string) string {
	if id != "" {
		return id
	}
	return name
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

// address is where an agent with that port will be.
func address(port int) string {
	if port == 0 {
		return "a port of its own"
	}
	return fmt.Sprintf("http://localhost:%d/mcp", port)
}
