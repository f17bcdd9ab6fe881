package league

import (
	"errors"
	"log/slog"
	"time"

	"agentleague/engine"
	"agentleague/protocol"
)

// A full disk pauses the league. The log cannot say so, since it is what cannot
// be written: the pause is the manager's own, and it ends by itself.

// How long the manager waits before it looks for room again.
const (
	firstLook = time.Second
	lastLook  = 8 * time.Second
)

// roomEvery is how often it looks whether there is room.
const roomEvery = 2 * time.Second

// errFull answers whoever wants something recorded meanwhile. Where the disk is
// is nobody's business but the operator's.
var errFull = protocol.Errorf(protocol.Internal, "the manager's disk is full and nothing can be recorded; ask again").Pass()

// isFull reports whether a failure passes when somebody makes room.
func isFull(err error) bool { return errors.As(err, new(*engine.FullError)) }

// full says in a sentence what is full and what to do, or nothing.
func (m *Manager) full() (sentence string) {
	m.locked(func(v *volatile) { sentence = v.full })
	return sentence
}

// Resting says in a sentence why the manager rests although nobody told it to,
// or nothing.
func (m *Manager) Resting() string { return m.full() }

// watchRoom pauses the league when there is no room, although its log has not
// met that yet: it may be a referee that cannot write.
func (m *Manager) watchRoom() {
	for over := false; !over && m.Node.Sleep(m.ctx, "watch room", roomEvery) == nil; {
		if m.full() == "" {
			m.halt(m.opts.Room())
		}
		m.Read(func(s *State) { over = s.Completed() })
	}
}

// halt pauses the league if there is no room, until there is, and says so once.
func (m *Manager) halt(err error) {
	var full *engine.FullError
	if !errors.As(err, &full) {
		return
	}
	sentence := full.Place + " is full: make room, the league goes on by itself"
	var known bool
	m.locked(func(v *volatile) { known = v.full != ""; v.full = sentence })
	if known {
		return
	}
	m.Node.Logger.Error(sentence, slog.String("league_id", m.opts.LeagueID), slog.Any("error", err))
	m.running.Go(m.awaitRoom)
}

// awaitRoom tries to write until that succeeds. What it writes marks that the
// manager takes its log up again.
func (m *Manager) awaitRoom() {
	again := func(*State) ([]Event, error) { return []Event{Epoch{m.opts.Holder}}, nil }
	for pause := firstLook; m.Node.Sleep(m.ctx, "room", pause) == nil; pause = min(2*pause, lastLook) {
		if m.opts.Room != nil && m.opts.Room() != nil {
			continue
		}
		if m.ask(m.ctx, &command{decide: again, looks: true, done: make(chan error, 1)}) == nil {
			return
		}
	}
}

// goOn ends the pause.
func (m *Manager) goOn() {
	m.locked(func(v *volatile) { v.full = "" })
	m.warn("there is room again: the league goes on")
	m.kick()
}
