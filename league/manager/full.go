package manager

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// A full disk pauses the league, and so does a log that somebody has taken
// away. The log cannot say so, since it is what cannot be written: the pause is
// the manager's own, and it ends by itself.

// How long the manager waits before it looks for room again.
const (
	firstLook = time.Second
	lastLook  = 8 * time.Second
)

// How often it looks whether there is room, and whether its log is there.
const (
	roomEvery   = 2 * time.Second
	intactEvery = 900 * time.Millisecond
)

// A rest is why the league pauses although nobody told it to.
type rest struct {
	why   string // a sentence: what is wrong and what to do
	over  string // what is said when it is over
	asked error  // the answer to whoever wants something recorded meanwhile
}

// Where the disk and the log are is nobody's business but the operator's.
var (
	errFull = protocol.Errorf(protocol.Internal, "the manager's disk is full and nothing can be recorded; ask again").Pass()
	errAway = protocol.Errorf(protocol.Internal, "the manager's log is missing and nothing can be recorded; ask again").Pass()
)

// restOf is how the league rests after a failure that passes when somebody
// makes room or puts the log back; other failures are no reason to rest.
func restOf(err error) (r rest, rests bool) {
	var full *engine.FullError
	var away *engine.AwayError
	switch {
	case errors.As(err, &full):
		return rest{full.Place + " is full: make room, the league goes on by itself", "there is room again: the league goes on", errFull}, true
	case errors.As(err, &away):
		return rest{fmt.Sprintf("%s %s: put it back as it was, the league goes on by itself", away.Place, away.What),
			"the log is back: the league goes on", errAway}, true
	}
	return rest{}, false
}

// canPass reports whether a failure is one that the league rests for.
func canPass(err error) bool {
	_, rests := restOf(err)
	return rests
}

func (m *Manager) rest() (r rest) {
	m.locked(func(v *volatile) { r = v.rest })
	return r
}

// full says in a sentence what keeps the league from being recorded and what to
// do, or nothing.
func (m *Manager) full() (sentence string) { return m.rest().why }

// Resting says in a sentence why the manager rests although nobody told it to,
// or nothing.
func (m *Manager) Resting() string { return m.full() }

// Away says in a sentence that the log is not where or as it was left, or nothing.
func (m *Manager) Away() string {
	if r := m.rest(); r.asked == errAway {
		return r.why
	}
	return ""
}

// watchRoom pauses the league when there is no room, although its log has not
// met that yet: it may be a referee that cannot write.
func (m *Manager) watchRoom() {
	for over := false; !over && m.Node.Sleep(m.ctx, "watch room", roomEvery) == nil; {
		if m.full() == "" {
			m.halt(m.opts.Room())
		}
		m.Read(func(s *league.State) { over = s.Completed() })
	}
}

// watchLog pauses the league when its log is gone, although nothing is to be
// written to it just now.
func (m *Manager) watchLog() {
	for m.Node.Sleep(m.ctx, "watch log", intactEvery) == nil {
		if m.full() == "" {
			m.halt(m.opts.Intact())
		}
	}
}

// halt pauses the league if a failure passes, until it has passed, and says so once.
func (m *Manager) halt(err error) {
	now, rests := restOf(err)
	if !rests {
		return
	}
	var was rest
	m.locked(func(v *volatile) { was, v.rest = v.rest, now })
	if was.why != now.why {
		m.Node.Logger.Error(now.why, slog.String("league_id", m.opts.LeagueID), slog.Any("error", err))
	}
	if was.why == "" {
		m.running.Go(m.awaitRoom)
	}
}

// awaitRoom tries to write until that succeeds. What it writes marks that the
// manager takes its log up again.
func (m *Manager) awaitRoom() {
	again := func(*league.State) ([]league.Event, error) {
		return []league.Event{league.Epoch{Holder: m.opts.Holder}}, nil
	}
	for pause := firstLook; m.Node.Sleep(m.ctx, "room", pause) == nil; pause = min(2*pause, lastLook) {
		if m.opts.Room != nil && m.opts.Room() != nil {
			continue
		}
		err := m.ask(m.ctx, &command{decide: again, looks: true, done: make(chan error, 1)})
		if err == nil {
			return
		}
		m.halt(err) // it may be for another reason by now
	}
}

// goOn ends the pause.
func (m *Manager) goOn() {
	var was rest
	m.locked(func(v *volatile) { was, v.rest = v.rest, rest{} })
	m.warn(was.over)
	m.kick()
}
