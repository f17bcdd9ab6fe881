package manager

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// The conductor keeps the league going. It looks at the durable state, sees
// what is due, and has it done in the background. It remembers nothing that
// the log does not tell, so it does not matter when it is killed: whatever was
// due is still due.

// The conductor rests so many times as long as it looked, but not for long: on a
// busy machine to look may have been mostly waiting. To look takes longer the more
// matches a round has, and there is more to look for the more there are: with
// the rest, looking is a bounded share of the manager's time.
const (
	restShare = 9
	maxRest   = 5 * time.Millisecond
)

// conduct looks again whenever something has changed, until the manager ends.
func (m *Manager) conduct() {
	for m.ctx.Err() == nil { // of a wake and the end that come together the end counts
		start := time.Now()
		m.step()
		if took := time.Since(start); took > 0 && m.Node.Sleep(m.ctx, "conduct", min(restShare*took, maxRest)) != nil {
			return
		}
		select {
		case <-m.volatile.wake:
		case <-m.ctx.Done():
			return
		}
	}
}

// step starts everything that is due. While the disk is full nothing is.
func (m *Manager) step() {
	if m.full() != "" {
		return
	}
	m.locked(func(v *volatile) { clear(v.ended) })
	var due []func()
	m.Read(func(s *league.State) {
		if !s.Started() {
			due = m.dueStart(s)
			return
		}
		m.locked(func(v *volatile) { v.enter(s.Round) })
		due = slices.Concat(m.dueNotes(s), m.dueNews(s), m.dueMatches(s), m.dueWatches(s))
		if len(league.OpenNext(s)) > 0 && !m.draining() {
			next := s.Round + 1
			due = append(due, func() { m.once(fmt.Sprintf("open %d", next), func() { m.openRound(next) }) })
		}
	})
	for _, start := range due {
		start()
	}
}

// dueStart starts the league when it is to start and everybody's endpoint has been looked at.
func (m *Manager) dueStart(s *league.State) (due []func()) {
	due = append(due, func() { m.once("window", m.awaitWindow) })
	pending := false
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, agent := range s.Roster(role) {
			a := agent.Registered
			if agent.LostPlace() {
				continue // there is nowhere to look for it
			}
			switch m.probeState(a.ID) {
			case probeUnknown:
				m.setProbe(a.ID, probing)
				due = append(due, func() { m.running.Go(func() { m.probe(a.ID, a.Endpoint) }) })
				pending = true
			case probing:
				pending = true
			}
		}
	}
	starting := m.startWanted(s) && m.missing(s) == ""
	m.locked(func(v *volatile) { v.starting = starting })
	if starting && !pending {
		due = append(due, func() { m.once("start", m.begin) })
	}
	return due
}

// startWanted reports whether the league is to start: by order, by number, or because the window closed.
func (m *Manager) startWanted(s *league.State) bool {
	o := m.opts
	players, referees := len(s.Players()), len(s.Roster(protocol.RoleReferee))
	byNumber := o.StartPlayers > 0 && players >= o.StartPlayers && referees >= max(o.StartReferees, 1)
	closed := o.Window > 0 && time.Since(s.CreatedAt) >= o.Window
	return s.Ordered || byNumber || closed
}

// awaitWindow looks again when the window closes, and then says what is missing.
func (m *Manager) awaitWindow() {
	var left time.Duration
	m.Read(func(s *league.State) { left = m.opts.Window - time.Since(s.CreatedAt) })
	if m.opts.Window < 0 || left <= 0 {
		<-m.ctx.Done()
		return
	}
	if m.Node.Sleep(m.ctx, "window", left) != nil {
		return
	}
	m.Read(func(s *league.State) {
		if missing := m.missing(s); missing != "" && !s.Started() {
			m.warn("the registration window has closed and the league stays open", slog.String("missing", missing))
		}
	})
}

func (m *Manager) begin() {
	var players int
	err := m.do(m.ctx, func(s *league.State) ([]league.Event, error) {
		if s.Started() || m.missing(s) != "" {
			return nil, nil
		}
		events := league.StartWith(s, m.unreached)
		players = len(events[len(events)-1].(league.Started).Players)
		return events, nil
	})
	if err == nil && players > 0 {
		m.info("league started", slog.Int("players", players))
	}
}

// openRound opens a round, after a rest if it is not the first.
func (m *Manager) openRound(round int) {
	if round > 1 && m.opts.Pace > 0 && m.Node.Sleep(m.ctx, "pace", m.opts.Pace) != nil {
		return
	}
	_ = m.do(m.ctx, func(s *league.State) ([]league.Event, error) { return league.OpenNext(s), nil })
}
