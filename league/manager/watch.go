package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

const (
	pingEvery = 2 * time.Second
	silences  = 3
	askAgain  = 15 // pings after which a referee is asked again for an accepted match
)

// A watcher pings referees that hold matches, and players that could not be reached.
type watcher struct {
	*core
	*ledger
	*jobs
	calls    *caller
	dispatch *dispatcher
	stuck    *obstacles
}

// dueWatches returns the jobs that watch the agents in [league.ToPing].
func (w *watcher) dueWatches(s *league.State) (due []func()) {
	for _, id := range league.ToPing(s) {
		due = append(due, func() { w.once("watch "+id, func() { w.watch(id) }) })
	}
	return due
}

// watch pings a referee as long as needed. Three unanswered pings suspend the referee; one answer readmits it.
func (w *watcher) watch(id string) {
	silent := 0
	held := holding{since: map[league.MatchAssigned]time.Time{}}
	for k := 1; ; k++ {
		if w.Node.Sleep(w.ctx, "ping "+id, pingEvery) != nil {
			return
		}
		var needed, suspended bool
		w.Read(func(s *league.State) {
			needed, suspended = slices.Contains(league.ToPing(s), id), s.Agents[id].State == protocol.AgentSuspended
		})
		if !needed {
			return
		}
		silent++
		alive, gone := w.ping(id)
		if alive {
			silent = 0
		}
		held.recordPing(alive, gone)
		w.reassignOverdue(id, &held)
		switch {
		case silent >= silences && !suspended:
			w.setAgentState(id, protocol.AgentSuspended, "it does not answer")
		case silent == 0 && suspended:
			w.setAgentState(id, protocol.AgentActive, "")
			w.dispatch.restartMatches(id)
		case silent == 0 && k%askAgain == 0 && w.isNative(id):
			w.dispatch.restartMatches(id)
		}
	}
}

// ping reports whether an agent is alive. Any response counts, even an error, but a native agent must sign, since
// another process may listen at its port. gone reports that the endpoint of a third-party agent refused the connection.
func (w *watcher) ping(id string) (alive, gone bool) {
	ctx, cancel := context.WithTimeout(w.ctx, pingEvery)
	defer cancel()
	var a league.Agent
	w.Read(func(s *league.State) { a = *s.Agents[id] })
	if a.Native() {
		signed, alive := w.calls.answers(ctx, a.Registered)
		if alive && a.Displaced != "" {
			w.logReturn(signed)
		}
		return alive, false
	}
	_, err := w.calls.call(ctx, id, &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-" + id,
	}})
	var refusal *protocol.Refusal
	alive = err == nil || errors.As(err, &refusal) || protocol.Is(err, protocol.InvalidMessage)
	return alive, protocol.Is(err, protocol.Connection)
}

// logReturn logs that a displaced agent proved with its signature that it answers at its endpoint, which ends the
// displacement.
func (w *watcher) logReturn(signed league.Found) {
	w.info("a displaced agent answers where it was", slog.String("agent_id", signed.ID))
	_ = w.Do(w.ctx, func(s *league.State) ([]league.Event, error) {
		if s.Agents[signed.ID].Displaced == "" {
			return nil, nil
		}
		return []league.Event{signed}, nil
	})
}

// setAgentState writes to the log that an agent answers or does not answer. An agent that has left keeps its state.
func (w *watcher) setAgentState(id, state, why string) {
	w.note(slog.LevelWarn, "AGENT_STATE", fmt.Sprintf("%s is %s: %s", id, state, why),
		slog.String("agent_id", id), slog.String("state", state), slog.String("why", why))
	_ = w.Do(w.ctx, func(s *league.State) ([]league.Event, error) {
		if a := s.Agents[id]; a.State == state || a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []league.Event{league.AgentState{ID: id, State: state, Why: why}}, nil
	})
}
