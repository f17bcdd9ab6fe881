package manager

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

const (
	pingEvery = 2 * time.Second
	silences  = 3
	askAgain  = 15 // pings after which a referee is asked again for what it accepted
)

// dueWatches looks after the referees that hold matches, those that were lost, and players that could not be reached.
func (m *Manager) dueWatches(s *league.State) (due []func()) {
	for _, id := range league.Watched(s) {
		due = append(due, func() { m.once("watch "+id, func() { m.watch(id) }) })
	}
	return due
}

// watch pings a referee while there is reason to. Three silences suspend it;
// one answer takes it back.
func (m *Manager) watch(id string) {
	silent := 0
	since := map[league.MatchAssigned]time.Time{}
	for k := 1; ; k++ {
		if m.Node.Sleep(m.ctx, "ping "+id, pingEvery) != nil {
			return
		}
		var needed, suspended bool
		m.Read(func(s *league.State) {
			needed, suspended = slices.Contains(league.Watched(s), id), s.Agents[id].State == protocol.AgentSuspended
		})
		if !needed {
			return
		}
		silent++
		if m.ping(id) {
			silent = 0
		}
		m.overdue(id, since)
		switch {
		case silent >= silences && !suspended:
			m.setAgentState(id, protocol.AgentSuspended, "it does not answer")
		case silent == 0 && suspended:
			m.setAgentState(id, protocol.AgentActive, "")
			m.restartMatches(id)
		case silent == 0 && k%askAgain == 0 && m.ours(id):
			m.restartMatches(id)
		}
	}
}

// ping reports whether an agent answers, in whatever way: an error is an answer
// too. A native one signs: somebody else may have its port.
func (m *Manager) ping(id string) bool {
	ctx, cancel := context.WithTimeout(m.ctx, pingEvery)
	defer cancel()
	var a league.Agent
	m.Read(func(s *league.State) { a = *s.Agents[id] })
	if a.Native() {
		return m.answers(ctx, a.Registered)
	}
	_, err := m.call(ctx, id, &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-" + id,
	}})
	var refusal *protocol.Refusal
	return err == nil || errors.As(err, &refusal) || protocol.Is(err, protocol.InvalidMessage)
}

func (m *Manager) setAgentState(id, state, why string) {
	m.warn("agent state", slog.String("agent_id", id), slog.String("state", state), slog.String("why", why))
	_ = m.do(m.ctx, func(s *league.State) ([]league.Event, error) {
		if a := s.Agents[id]; a.State == state || a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []league.Event{league.AgentState{ID: id, State: state, Why: why}}, nil
	})
}

// restartMatches has the matches of a referee ordered again: it may have lost them.
func (m *Manager) restartMatches(referee string) {
	m.Read(func(s *league.State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == referee {
				m.locked(func(v *volatile) { delete(v.accepted, a) })
			}
		}
	})
	m.kick()
}
