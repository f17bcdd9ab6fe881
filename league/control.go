package league

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// report records the result of a match.
func (m *Manager) report(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchResultReport)
	role, referee, err := m.authenticate(from, msg.Head())
	if err != nil {
		return nil, err
	}
	if role != protocol.RoleReferee {
		return nil, protocol.Errorf(protocol.RefereeNotRegistered, "results come from referees, not from %s", r.Sender)
	}
	if err := m.checkLeague(msg.Head(), m.foreign(referee)); err != nil {
		return nil, err
	}
	if r.MatchID == "" && m.foreign(referee) {
		r.MatchID = m.onlyMatch(referee)
	}
	if r.MatchID == "" {
		return nil, protocol.Errorf(protocol.MissingField, "%s: the field match_id is missing", r.MessageType).With("field", "match_id")
	}
	var round int
	err = m.do(ctx, func(s *State) ([]Event, error) {
		events, err := recordResult(s, referee, r, func(match *Match) error { return m.checkResult(s, referee, r, match) })
		if err == nil {
			round = s.Matches[r.MatchID].Round
			events = append(events, learnedOf(s, r.Dialects)...)
		}
		return events, err
	})
	if err != nil {
		return nil, err
	}
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: m.opts.LeagueID, MatchID: r.MatchID, RoundID: protocol.Round(round),
		},
		Status: protocol.Accepted,
	}, nil
}

// checkResult re-derives what one of our own referees reports. Others cannot prove their draws.
func (m *Manager) checkResult(s *State, referee string, r *protocol.MatchResultReport, match *Match) error {
	if !s.Agents[referee].MatchTokens || m.opts.CheckResult == nil {
		return nil
	}
	if r.Fairness == nil || r.Fairness.Key != m.drawKey(s, match) {
		return protocol.Errorf(protocol.InvalidMessage, "fairness.key: that is not the draw key of %s", match.ID).With("field", "fairness.key")
	}
	if err := m.opts.CheckResult(r, match.A, match.B); err != nil {
		return protocol.Errorf(protocol.InvalidMessage, "the result does not follow from the moves and the draw: %v", err)
	}
	return nil
}

// control answers the admin with the state of the league.
func (m *Manager) control(ctx context.Context, decide func(s *State) ([]Event, error)) (protocol.Message, error) {
	if err := m.do(ctx, decide); err != nil {
		return nil, err
	}
	ack := &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: m.opts.LeagueID}, Status: protocol.Accepted,
	}
	m.Read(func(s *State) {
		ack.State, ack.Paused = s.Phase(m.starting() || s.Ordered), s.Paused
		if !s.Started() {
			ack.Reason = m.missing(s)
		}
	})
	return ack, nil
}

func (m *Manager) startLeague(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
	m.info("start ordered")
	return m.control(ctx, func(s *State) ([]Event, error) {
		if s.Started() || s.Ordered {
			return nil, nil
		}
		if missing := m.missing(s); missing != "" {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the league cannot start yet: %s", missing)
		}
		return []Event{StartOrdered{}}, nil
	})
}

func (m *Manager) pause(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
	m.info("pause ordered")
	return m.control(ctx, func(s *State) ([]Event, error) {
		if s.Completed() {
			return nil, protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over")
		}
		if s.Paused {
			return nil, nil
		}
		return []Event{Paused{}}, nil
	})
}

func (m *Manager) resume(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
	m.info("resume ordered")
	return m.control(ctx, func(s *State) ([]Event, error) {
		if !s.Paused {
			return nil, nil
		}
		return []Event{Resumed{}}, nil
	})
}

func (m *Manager) withdraw(ctx context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
	id := msg.(*protocol.Tool).PlayerID
	m.info("withdrawal ordered", slog.String("player_id", id))
	return m.control(ctx, func(s *State) ([]Event, error) {
		a := s.Agents[id]
		if a == nil || a.Role != protocol.RolePlayer {
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", id).With("player_id", id)
		}
		if s.Completed() {
			return nil, protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over")
		}
		if a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []Event{Withdrawn{id}}, nil
	})
}

// createSchedule shows the schedule, of those registered so far if the league has not started.
func (m *Manager) createSchedule(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
	var rounds []protocol.ScheduledRound
	m.Read(func(s *State) { rounds = s.scheduled(protocol.QueryParams{}) })
	data, err := json.Marshal(map[string]any{"schedule": rounds})
	if err != nil {
		return nil, err
	}
	return m.answer(protocol.QuerySchedule, data), nil
}

// missing says what the league lacks before it can start, or "".
func (m *Manager) missing(s *State) string {
	count := func(role protocol.Role) (n int) {
		for _, a := range s.Agents {
			if a.Role == role && a.State != protocol.AgentShutdown && m.probeState(a.ID) != probeFailed {
				n++
			}
		}
		return n
	}
	// Fewer than two players have no matches, and such a league would never end.
	if n, want := count(protocol.RolePlayer), max(m.opts.MinPlayers, 2); n < want {
		return fmt.Sprintf("%d of at least %d players have registered and can be reached", n, want)
	}
	if n, want := count(protocol.RoleReferee), m.opts.MinReferees; n < want {
		return fmt.Sprintf("%d of at least %d referees have registered and can be reached", n, want)
	}
	return ""
}
