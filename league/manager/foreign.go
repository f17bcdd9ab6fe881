package manager

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Agents of other makes are spoken to in dialects that the node finds out. Here
// is what the league does about it: what was learned is written down, and a
// referee that is not ours is never asked twice to play one attempt at a match.

// learned writes down what calls to an agent have taught about its dialect.
func (m *Manager) learned(id string) {
	now := m.Node.Dialect(m.peer(id))
	var known string
	m.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil {
			known = a.Dialect
		}
	})
	if now == known || now == "" {
		return
	}
	m.locked(func(v *volatile) { v.dialects[id] = now }) // the log of a league that is over does not take it
	_ = m.do(m.ctx, func(s *league.State) ([]league.Event, error) {
		return league.LearnedOf(s, map[string]string{id: now}), nil
	})
}

// foreignPatience is how long a referee that is not ours may take for a match
// before another is asked. Ours are asked how far they are.
const foreignPatience = 5 * time.Minute

// overdue asks anew for the matches that a guest, native or not, has held for too
// long: it may answer and never play. Since holds when each was seen first.
func (m *Manager) overdue(id string, since map[league.MatchAssigned]time.Time) {
	var late []league.MatchAssigned
	m.Read(func(s *league.State) {
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
		m.warn("a referee does not report a match", slog.String("match_id", a.Match), slog.String("referee_id", id))
		_ = m.do(m.ctx, func(s *league.State) ([]league.Event, error) { return league.Anew(s, a), nil })
	}
}

// firstOrder reports whether an attempt may be put to its referee, which it may
// once: who is not ours would play it again. That it was is durable before it is
// put, so that no restart and no silence repeats it. What was put and not heard
// is overdue in time. A referee that comes for its matches has refused to be told.
func (m *Manager) firstOrder(ctx context.Context, a league.MatchAssigned) (first bool, err error) {
	how := "order "
	if m.fetches(a.Referee) || m.refused(a) {
		how = "fetch "
	}
	err = m.do(ctx, func(s *league.State) ([]league.Event, error) {
		put := league.Announced{What: how + a.Key(), Round: s.Matches[a.Match].Round}
		if first = !s.Announced[put]; !first {
			return nil, nil
		}
		return []league.Event{put}, nil
	})
	return first && err == nil, err
}

// ours reports whether an agent keeps to the rules of our own: a match that is
// ordered again is not played again.
func (m *Manager) ours(id string) (yes bool) {
	m.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Native() })
	return yes
}

// assignedMatches tells a referee that asks which matches it is to play. It
// has them then, and is not told of them again.
func (m *Manager) assignedMatches(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	role, id, err := m.question(from, msg.Head())
	if err != nil {
		return nil, err
	}
	if role != protocol.RoleReferee {
		return nil, protocol.Errorf(protocol.RefereeNotRegistered, "matches are assigned to referees, not to %s", msg.Head().Sender)
	}
	out := &protocol.Assignments{
		Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments, LeagueID: m.opts.LeagueID}, Matches: []json.RawMessage{},
	}
	err = m.do(ctx, func(s *league.State) ([]league.Event, error) {
		return league.LearnedOf(s, map[string]string{id: protocol.ComesForMatches(s.Agents[id].Dialect)}), nil
	})
	if err != nil {
		return nil, err
	}
	for _, a := range m.orderedOf(id) {
		start, ok := m.startMatch(a)
		if !ok {
			continue
		}
		if first, err := m.firstOrder(ctx, a); err != nil || !first {
			continue
		}
		start.Protocol, start.Sender, start.Timestamp, start.AuthToken = protocol.Version, m.Node.Sender(), protocol.Stamp(time.Now()), m.tokenFor(id, &start.Envelope)
		wide, err := rpc.Wide(start)
		if err != nil {
			return nil, err
		}
		out.Matches = append(out.Matches, wide)
		m.locked(func(v *volatile) { v.accepted[a] = true })
	}
	m.kick()
	return out, nil
}

// orderedOf lists the attempts that a referee has been asked to play and has not taken.
func (m *Manager) orderedOf(id string) (out []league.MatchAssigned) {
	var open []league.MatchAssigned
	m.Read(func(s *league.State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == id {
				open = append(open, a)
			}
		}
	})
	m.locked(func(v *volatile) {
		for _, a := range open {
			if v.ordered[a] && !v.accepted[a] {
				out = append(out, a)
			}
		}
	})
	return out
}

// refused reports whether a referee said no when it was told of an attempt.
func (m *Manager) refused(a league.MatchAssigned) (yes bool) {
	m.locked(func(v *volatile) { yes = v.refused[a] })
	return yes
}

// fetches reports whether a referee comes for its matches.
func (m *Manager) fetches(id string) (yes bool) {
	m.Read(func(s *league.State) { yes = protocol.FetchesMatches(s.Agents[id].Dialect) })
	return yes
}
