package league

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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

// ordered answers the admin, whose order has been carried out or failed, with the state of the league.
func (m *Manager) ordered(err error) (*protocol.LeagueControlAck, error) {
	if err != nil {
		return nil, err
	}
	ack := &protocol.LeagueControlAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueControlAck, LeagueID: m.opts.LeagueID}, Status: protocol.Accepted,
	}
	m.Read(func(s *State) {
		ack.State, ack.Paused = s.Phase(m.starting() || s.Ordered), s.Paused || m.drainedBy() != ""
		if !s.Started() {
			ack.Reason = m.missing(s)
		}
	})
	return ack, nil
}

// obeys is the handler of an order that carry carries out.
func (m *Manager) obeys(carry func(ctx context.Context, by string) error) rpc.Handler {
	return func(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
		return reply(m.ordered(carry(ctx, orderedBy(from, msg.Head()))))
	}
}

// reply is an answer, or none.
func reply(ack *protocol.LeagueControlAck, err error) (protocol.Message, error) {
	if err != nil {
		return nil, err
	}
	return ack, nil
}

func (m *Manager) withdraw(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	return reply(m.ordered(m.Withdraw(ctx, msg.(*protocol.Tool).PlayerID, orderedBy(from, msg.Head()))))
}

// drain answers at once: what is in play is finished meanwhile.
func (m *Manager) drain(ctx context.Context, by string) error {
	m.BeginDrain(ctx, by)
	return nil
}

func (m *Manager) enlist(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	e := msg.(*protocol.EnlistAgent)
	id, err := m.Enlist(ctx, e.Role, e.Endpoint, e.DisplayName, orderedBy(from, msg.Head()))
	ack, err := m.ordered(err)
	if err != nil {
		return nil, err
	}
	ack.AgentID = id
	return ack, nil
}

// create has another league created beside this one. It is the one message that names a league which is not there.
func (m *Manager) create(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	if err := m.checkAdmin(strings.TrimPrefix(msg.Head().AuthToken, "Bearer ")); err != nil {
		return nil, err
	}
	created, err := m.opts.Create(ctx, msg.(*protocol.CreateLeague), orderedBy(from, msg.Head()))
	if err != nil {
		return nil, err
	}
	ack, err := created.ordered(nil)
	if err != nil {
		return nil, err
	}
	ack.Endpoint = created.opts.Endpoint
	return ack, nil
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
