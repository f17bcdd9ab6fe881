package manager

import (
	"fmt"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// dueStart starts the league when its start condition is met and every endpoint has been probed.
func (l *lobby) dueStart(s *league.State) (due []func()) {
	if left := time.Until(l.deadline(s)); left > 0 {
		due = append(due, func() { l.once("window", func() { l.awaitDeadline(left) }) })
	}
	pending := false
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, agent := range s.Roster(role) {
			a := agent.Registered
			if agent.LostPlace() {
				continue // it has no endpoint to probe
			}
			switch l.probeState(a.ID) {
			case probeUnknown:
				l.setProbe(a.ID, probing, "")
				due = append(due, func() { l.running.Go(func() { l.probe(a) }) })
				pending = true
			case probing:
				pending = true
			}
		}
	}
	if l.setStarting(l.startWanted(s) && l.startObstacle(s) == "") && !pending {
		due = append(due, func() { l.once("start", l.start) })
	}
	return due
}

// startWanted reports whether the start condition is met: an order, the number of agents that can be reached, or the time.
// If the league is paused, only an order counts.
func (l *lobby) startWanted(s *league.State) bool {
	o := l.opts
	players, referees := l.reachable(s, protocol.RolePlayer), l.reachable(s, protocol.RoleReferee)
	byNumber := o.StartPlayers > 0 && players >= o.StartPlayers && referees >= max(o.StartReferees, 1) &&
		o.Regulars.Back(s)
	at := l.deadline(s)
	return s.Ordered || !s.Paused && (byNumber || !at.IsZero() && !time.Now().Before(at))
}

// deadline returns the time at which the league starts automatically, or zero if it does not.
func (l *lobby) deadline(s *league.State) time.Time {
	o := l.opts
	switch {
	case !o.StartAt.IsZero():
		return o.StartAt
	case o.StartAfter > 0:
		return l.openFor(s, o.StartAfter)
	case o.StartPlayers > 0 || o.Manual || o.Window < 0 || s.InvitedAny(protocol.RolePlayer):
		return time.Time{}
	}
	return l.openFor(s, o.Window)
}

// openFor returns the end of a registration window that began when the league was created. In a league with a previous
// season it begins when this manager opened the league, so that the agents of that season have time to return.
func (l *lobby) openFor(s *league.State, window time.Duration) time.Time {
	if l.opts.Regulars.Any() {
		return l.opened.Add(window)
	}
	age := l.opened.Round(0).Sub(s.CreatedAt) // at the opening
	if age < -time.Second {
		age = 0 // the clock was set back
	}
	return l.opened.Add(window - age)
}

// awaitDeadline wakes the conductor at the deadline, and logs what prevents the start, if anything.
func (l *lobby) awaitDeadline(left time.Duration) {
	if l.Node.Sleep(l.ctx, "window", left) != nil {
		return
	}
	l.Read(func(s *league.State) {
		if missing := l.startObstacle(s); missing != "" && !s.Started() {
			l.warn("too few agents when the window closed; still accepting registrations",
				slog.String("missing", missing))
		}
	})
}

// start starts the league with the agents that can be reached, unless it cannot start any more.
func (l *lobby) start() {
	var players int
	err := l.Do(l.ctx, func(s *league.State) ([]league.Event, error) {
		if s.Started() || l.startObstacle(s) != "" {
			return nil, nil
		}
		events := league.Seeded(s, league.StartWith(s, l.unreachedReason), l.keys.DrawSecret(), l.opts.RatingOf)
		players = len(events[len(events)-1].(league.Started).Players)
		return events, nil
	})
	if err == nil && players > 0 {
		l.note(slog.LevelInfo, "LEAGUE_STARTED", fmt.Sprintf("the league started with %d players", players),
			slog.Int("players", players))
	}
}

// startCondition returns the numbers of agents with which the league starts, and the time of an automatic start.
func (l *lobby) startCondition(s *league.State) league.Start {
	return league.Start{
		Players: max(l.opts.MinPlayers, 2, l.opts.StartPlayers), Referees: max(l.opts.MinReferees, l.opts.StartReferees),
		ByNumber: l.opts.StartPlayers > 0, At: l.deadline(s).UTC().Round(0), InvitedOnly: l.opts.InvitedOnly,
		Unreachable: len(s.Players()) - l.reachable(s, protocol.RolePlayer),
	}
}

// reachable counts the agents of a role whose endpoint was reached or is being probed.
func (l *lobby) reachable(s *league.State, role protocol.Role) (n int) {
	for _, a := range s.Roster(role) {
		if a.State != protocol.AgentShutdown && !a.LostPlace() && l.probeState(a.ID) != probeFailed {
			n++
		}
	}
	return n
}

// startObstacle returns what prevents the start of the league, or "".
func (l *lobby) startObstacle(s *league.State) string {
	// Fewer than two players have no matches, and such a league would never end.
	if n, want := l.reachable(s, protocol.RolePlayer), max(l.opts.MinPlayers, 2); n < want {
		return fmt.Sprintf("%d of at least %d players have registered and can be reached", n, want)
	}
	if n, want := l.reachable(s, protocol.RoleReferee), l.opts.MinReferees; n < want {
		return fmt.Sprintf("%d of at least %d referees have registered and can be reached", n, want)
	}
	return ""
}

// isStarting reports whether registration is closed while the schedule is created.
func (l *lobby) isStarting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.starting
}

// setStarting sets whether the league is about to start. While set, registration is closed.
func (l *lobby) setStarting(yes bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = yes
	return yes
}

// allFound reports whether every registered agent was reached at its endpoint.
func (l *lobby) allFound() (yes bool) {
	var ids []string
	l.Read(func(s *league.State) {
		for id, a := range s.Agents {
			if !a.LostPlace() {
				ids = append(ids, id)
			}
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if l.probes[id] != probeReached {
			return false
		}
	}
	return true
}
