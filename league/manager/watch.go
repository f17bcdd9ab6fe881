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
	askAgain  = 15 // pings after which a referee is asked again for what it accepted
)

// A watcher looks whether referees that hold matches are still there, and players that could not be reached are back.
type watcher struct {
	*core
	*ledger
	*jobs
	calls    *caller
	dispatch *dispatcher
}

// dueWatches looks after the referees that hold matches, those that were lost, and players that could not be reached.
func (w *watcher) dueWatches(s *league.State) (due []func()) {
	for _, id := range league.ToPing(s) {
		due = append(due, func() { w.once("watch "+id, func() { w.watch(id) }) })
	}
	return due
}

// watch pings a referee while there is reason to. Three silences suspend it;
// one answer takes it back.
func (w *watcher) watch(id string) {
	silent := 0
	since := map[league.MatchAssigned]time.Time{}
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
		if w.ping(id) {
			silent = 0
		}
		w.overdue(id, since)
		switch {
		case silent >= silences && !suspended:
			w.setAgentState(id, protocol.AgentSuspended, "it does not answer")
		case silent == 0 && suspended:
			w.setAgentState(id, protocol.AgentActive, "")
			w.dispatch.restartMatches(id)
		case silent == 0 && k%askAgain == 0 && w.ours(id):
			w.dispatch.restartMatches(id)
		}
	}
}

// ping reports whether an agent answers, in whatever way: an error is an answer
// too. A native one signs: somebody else may have its port.
func (w *watcher) ping(id string) bool {
	ctx, cancel := context.WithTimeout(w.ctx, pingEvery)
	defer cancel()
	var a league.Agent
	w.Read(func(s *league.State) { a = *s.Agents[id] })
	if a.Native() {
		return w.calls.answers(ctx, a.Registered)
	}
	_, err := w.calls.call(ctx, id, &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypePing, ConversationID: "conv-ping-" + id,
	}})
	var refusal *protocol.Refusal
	return err == nil || errors.As(err, &refusal) || protocol.Is(err, protocol.InvalidMessage)
}

func (w *watcher) setAgentState(id, state, why string) {
	w.note(slog.LevelWarn, "AGENT_STATE", fmt.Sprintf("%s is %s: %s", id, state, why),
		slog.String("agent_id", id), slog.String("state", state), slog.String("why", why))
	_ = w.do(w.ctx, func(s *league.State) ([]league.Event, error) {
		if a := s.Agents[id]; a.State == state || a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []league.Event{league.AgentState{ID: id, State: state, Why: why}}, nil
	})
}

// foreignPatience is how long a referee that is not ours may take for a match
// before another is asked. Ours are asked how far they are.
const foreignPatience = 5 * time.Minute

// overdue asks anew for the matches that a guest, native or not, has held for too
// long: it may answer and never play. Since holds when each was seen first.
func (w *watcher) overdue(id string, since map[league.MatchAssigned]time.Time) {
	var late []league.MatchAssigned
	w.Read(func(s *league.State) {
		if s.Agents[id].Organiser {
			return
		}
		for _, match := range s.Open() {
			a := match.Attempt()
			if a.Referee != id {
				continue
			}
			if since[a].IsZero() {
				since[a] = time.Now()
			}
			if time.Since(since[a]) > foreignPatience {
				late = append(late, a)
			}
		}
	})
	for _, a := range late {
		delete(since, a)
		w.warn("a referee does not report a match", slog.String("match_id", a.Match), slog.String("referee_id", id))
		_ = w.do(w.ctx, func(s *league.State) ([]league.Event, error) { return league.AssignAnew(s, a), nil })
	}
}
