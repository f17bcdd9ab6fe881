package league

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/protocol"
)

// The conductor keeps the league going. It looks at the durable state, sees
// what is due, and has it done in the background. It remembers nothing that
// the log does not tell, so it does not matter when it is killed: whatever was
// due is still due.

// conduct looks again whenever something has changed, until the manager ends.
func (m *Manager) conduct() {
	for {
		m.step()
		select {
		case <-m.volatile.wake:
		case <-m.ctx.Done():
			return
		}
	}
}

// step starts everything that is due.
func (m *Manager) step() {
	var due []func()
	m.Read(func(s *State) {
		if !s.Started() {
			due = m.dueStart(s)
			return
		}
		due = append(m.dueNews(s), m.dueMatches(s)...)
		due = append(due, m.dueWatches(s)...)
		if len(openNext(s)) > 0 {
			what := fmt.Sprintf("open %d", s.Round+1)
			due = append(due, func() { m.once(what, m.openRound) })
		}
	})
	for _, start := range due {
		start()
	}
}

// dueStart starts the league when it is to start and everybody's endpoint has been looked at.
func (m *Manager) dueStart(s *State) (due []func()) {
	due = append(due, func() { m.once("window", m.awaitWindow) })
	pending := false
	for _, role := range []protocol.Role{protocol.RoleReferee, protocol.RolePlayer} {
		for _, agent := range s.Roster(role) {
			a := agent.Registered
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
	begun := m.startWanted(s) && m.missing(s) == ""
	m.locked(func(v *volatile) { v.begun = begun })
	if begun && !pending {
		due = append(due, func() { m.once("start", m.begin) })
	}
	return due
}

// startWanted reports whether the league is to start: by order, by number, or because the window closed.
func (m *Manager) startWanted(s *State) bool {
	o := m.opts
	players, referees := len(s.Players()), len(s.Roster(protocol.RoleReferee))
	byNumber := o.StartPlayers > 0 && players >= o.StartPlayers && referees >= max(o.StartReferees, 1)
	closed := o.Window > 0 && time.Since(s.CreatedAt) >= o.Window
	return s.Ordered || byNumber || closed
}

// awaitWindow looks again when the window closes, and then says what is missing.
func (m *Manager) awaitWindow() {
	var left time.Duration
	m.Read(func(s *State) { left = m.opts.Window - time.Since(s.CreatedAt) })
	if m.opts.Window < 0 || left <= 0 {
		<-m.ctx.Done()
		return
	}
	if m.Node.Sleep(m.ctx, "window", left) != nil {
		return
	}
	m.Read(func(s *State) {
		if missing := m.missing(s); missing != "" && !s.Started() {
			m.warn("the registration window has closed and the league stays open", slog.String("missing", missing))
		}
	})
}

func (m *Manager) begin() {
	err := m.do(m.ctx, func(s *State) ([]Event, error) {
		if s.Started() || m.missing(s) != "" {
			return nil, nil
		}
		return startWith(s, func(id string) bool { return m.probeState(id) != probeFailed }), nil
	})
	if err == nil {
		m.info("league started")
	}
}

func (m *Manager) openRound() {
	if m.opts.Pace > 0 && m.Node.Sleep(m.ctx, "pace", m.opts.Pace) != nil {
		return
	}
	_ = m.do(m.ctx, func(s *State) ([]Event, error) { return openNext(s), nil })
}

// dueMatches orders the matches whose players know of them and whose referee has room.
func (m *Manager) dueMatches(s *State) (due []func()) {
	load := map[string]int{}
	var waiting []MatchAssigned
	for _, match := range s.Open() {
		a := match.Attempt()
		key := attemptKey(a)
		ref := s.Agents[a.Referee]
		if ref == nil || !ref.Live() {
			continue
		}
		var ordered, accepted, known bool
		m.locked(func(v *volatile) {
			ordered, accepted = v.ordered[key], v.accepted[key]
			known = v.waited[key] || v.heard[key+match.A] && v.heard[key+match.B]
		})
		known = known || a.Attempt == 1 && s.Announced[Announced{"round", match.Round}]
		switch {
		case ordered:
			load[a.Referee]++
			if !accepted {
				due = append(due, func() { m.once("play "+key, func() { m.order(a) }) })
			}
		case known && !s.Paused:
			waiting = append(waiting, a)
		case !known:
			due = append(due, func() { m.once("await "+key, func() { m.awaitHeard(key) }) })
		}
	}
	for _, a := range waiting {
		if load[a.Referee] >= max(s.Agents[a.Referee].Capacity, 1) {
			continue
		}
		load[a.Referee]++
		m.locked(func(v *volatile) { v.ordered[attemptKey(a)] = true })
		due = append(due, func() { m.once("play "+attemptKey(a), func() { m.order(a) }) })
	}
	return due
}

// awaitHeard gives the players of an attempt ten seconds to acknowledge its announcement.
func (m *Manager) awaitHeard(key string) {
	if m.Node.Sleep(m.ctx, "announcement of "+key, 10*time.Second) == nil {
		m.locked(func(v *volatile) { v.waited[key] = true })
	}
}

// order asks a referee to play a match until it says yes or the match is no longer its own.
func (m *Manager) order(a MatchAssigned) {
	for {
		msg, ok := m.startMatch(a)
		if !ok {
			return
		}
		pause := 2 * time.Second
		reply, err := m.Node.Call(m.ctx, m.peer(a.Referee), msg)
		if ack, ok := reply.(*protocol.StartMatchAck); err == nil && ok {
			if ack.Status != protocol.Busy {
				m.locked(func(v *volatile) { v.accepted[attemptKey(a)] = true })
				return
			}
			pause = time.Second
		}
		var refusal *protocol.Refusal
		if errors.As(err, &refusal) {
			m.warn("a referee refuses a match", slog.String("match_id", a.Match), slog.String("referee_id", a.Referee), slog.Any("error", err))
		}
		if m.Node.Sleep(m.ctx, "order "+attemptKey(a), pause) != nil {
			return
		}
	}
}

// startMatch writes the order for an attempt, unless it has been overtaken.
func (m *Manager) startMatch(a MatchAssigned) (msg *protocol.StartMatch, ok bool) {
	m.Read(func(s *State) {
		match := s.Matches[a.Match]
		if match.Outcome != nil || match.Attempt() != a || !s.Agents[a.Referee].Live() {
			return
		}
		rows := map[string]protocol.Standing{}
		for _, row := range s.Standings() {
			rows[row.PlayerID] = row
		}
		msg, ok = &protocol.StartMatch{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeStartMatch, ConversationID: fmt.Sprintf("conv-%s-start-%d", a.Match, a.Attempt),
				LeagueID: m.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: a.Match,
			},
			GameType: s.Created.GameType, Attempt: a.Attempt, DrawKey: m.drawKey(s, match), ReportTo: m.opts.Endpoint,
			PlayerA: m.contender(s, a, rows[match.A], match.A), PlayerB: m.contender(s, a, rows[match.B], match.B),
			Scoring: &s.Created.Scoring,
		}, true
	})
	return msg, ok
}

func (m *Manager) contender(s *State, a MatchAssigned, row protocol.Standing, id string) protocol.Contender {
	p := s.Agents[id]
	return protocol.Contender{
		ID: id, Endpoint: p.Endpoint, Dialect: p.Dialect, State: p.State, RegisteredAt: protocol.Stamp(p.RegisteredAt),
		Token:     protocol.MatchToken(m.token(p), m.opts.LeagueID, a.Match, a.Attempt, a.Referee),
		Standings: protocol.Tally{Wins: row.Wins, Losses: row.Losses, Draws: row.Draws, Points: row.Points},
	}
}

// dueWatches looks after the referees that hold matches, and those that were lost.
func (m *Manager) dueWatches(s *State) (due []func()) {
	for _, id := range watched(s) {
		due = append(due, func() { m.once("watch "+id, func() { m.watch(id) }) })
	}
	return due
}

// watched lists the referees that are to be pinged.
func watched(s *State) (ids []string) {
	holds := map[string]bool{}
	for _, match := range s.Open() {
		holds[match.Attempt().Referee] = true
	}
	for _, ref := range s.Roster(protocol.RoleReferee) {
		if !s.Completed() && (holds[ref.ID] || ref.State == protocol.AgentSuspended) {
			ids = append(ids, ref.ID)
		}
	}
	return ids
}

const (
	pingEvery = 2 * time.Second
	silences  = 3
	askAgain  = 15 // pings after which a referee is asked again for what it accepted
)

// watch pings a referee while there is reason to. Three silences suspend it;
// one answer takes it back.
func (m *Manager) watch(id string) {
	silent := 0
	for k := 1; ; k++ {
		if m.Node.Sleep(m.ctx, "ping "+id, pingEvery) != nil {
			return
		}
		var needed bool
		var state string
		m.Read(func(s *State) {
			for _, w := range watched(s) {
				needed = needed || w == id
			}
			state = s.Agents[id].State
		})
		if !needed {
			return
		}
		silent++
		if m.ping(id) {
			silent = 0
		}
		switch {
		case silent == silences && state != protocol.AgentSuspended:
			m.setAgentState(id, protocol.AgentSuspended, "it does not answer")
		case silent == 0 && state == protocol.AgentSuspended:
			m.setAgentState(id, protocol.AgentActive, "")
			m.restartMatches(id)
		case silent == 0 && k%askAgain == 0:
			m.restartMatches(id)
		}
	}
}

// ping reports whether an agent answers in any way.
func (m *Manager) ping(id string) bool {
	ctx, cancel := context.WithTimeout(m.ctx, pingEvery)
	defer cancel()
	_, err := m.Node.Call(ctx, m.peer(id), &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-" + id,
	}})
	return !protocol.Is(err, protocol.Timeout) && !protocol.Is(err, protocol.Connection) && m.ctx.Err() == nil
}

func (m *Manager) setAgentState(id, state, why string) {
	m.warn("agent state", slog.String("agent_id", id), slog.String("state", state), slog.String("why", why))
	_ = m.do(m.ctx, func(s *State) ([]Event, error) {
		if a := s.Agents[id]; a.State == state || a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []Event{AgentState{id, state, why}}, nil
	})
}
