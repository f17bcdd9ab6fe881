package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// report records the result of a match.
func (m *Manager) report(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchResultReport)
	referee, err := m.judge(ctx, from, msg.Head())
	if err != nil {
		return nil, err
	}
	if r.MatchID == "" && m.foreign(referee) {
		r.MatchID = m.onlyMatch(referee)
	}
	if r.MatchID == "" {
		return nil, protocol.Errorf(protocol.MissingField, "%s: the field match_id is missing", r.MessageType).With("field", "match_id")
	}
	if err := m.count(ctx, referee, r); err != nil {
		return nil, err
	}
	var round int
	m.Read(func(s *league.State) { round = s.Matches[r.MatchID].Round })
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: m.opts.LeagueID, MatchID: r.MatchID, RoundID: protocol.Round(round),
		},
		Status: protocol.Accepted,
	}, nil
}

// judge returns the referee that a report comes from. One of another make has
// no secret to show: it is known by its address, or by its join key.
func (m *Manager) judge(ctx context.Context, from rpc.From, h *protocol.Envelope) (referee string, err error) {
	role, referee, err := m.authenticate(from, h)
	if err != nil {
		return "", err
	}
	if role != protocol.RoleReferee {
		return "", protocol.Errorf(protocol.RefereeNotRegistered, "results come from referees, not from %s", h.Sender)
	}
	if err := m.checkLeague(h, m.foreign(referee)); err != nil {
		return "", err
	}
	if m.foreign(referee) && m.invited(from, h.AuthToken) == nil && !m.opts.OpenDoors {
		var endpoint string
		m.Read(func(s *league.State) { endpoint = s.Agents[referee].Endpoint })
		if !m.Node.ComesFrom(ctx, from, endpoint) {
			m.warn("a report for "+referee+" came from another address than its own", slog.String("referee_id", referee), slog.String("address", from.Addr), slog.String("match_id", league.Clip(h.MatchID)))
			return "", protocol.Errorf(protocol.AuthTokenInvalid, "reports of %s come from its own address, %s", referee, endpoint)
		}
	}
	return referee, nil
}

// count records what a referee reports. What cannot be true is refused, and
// another one has the match; a second story of a recorded match is noted.
func (m *Manager) count(ctx context.Context, referee string, r *protocol.MatchResultReport) error {
	err := m.do(ctx, func(s *league.State) ([]league.Event, error) {
		events, err := league.RecordResult(s, referee, r, func(match *league.Match) error { return m.checkResult(s, referee, r, match) })
		if err == nil {
			events = append(events, league.LearnedOf(s, r.Dialects)...)
		}
		return events, err
	})
	return m.weigh(ctx, referee, r.MatchID, r.Attempt, err)
}

// weigh does what follows from how a report was taken: what cannot be true goes
// to another referee, if there is one, and a second story is noted.
func (m *Manager) weigh(ctx context.Context, referee, match string, attempt int, err error) error {
	var wrong *untrue
	switch {
	case protocol.Is(err, protocol.DuplicateReport):
		m.warn("a referee tells another story of a recorded match", slog.String("match_id", league.Clip(match)), slog.String("referee_id", referee))
		_ = m.do(ctx, func(s *league.State) ([]league.Event, error) {
			return league.Contest(s, league.Contested{Match: match, Attempt: attempt, By: protocol.Sender(protocol.RoleReferee, referee), What: protocol.ProtestResult, Detail: "it reported another result"}), nil
		})
	case errors.As(err, &wrong):
		m.warn("a report was refused: "+wrong.why, slog.String("match_id", league.Clip(match)), slog.String("referee_id", referee))
		_ = m.do(ctx, func(s *league.State) ([]league.Event, error) {
			found := s.Matches[match]
			if a := found.Attempt(); found.Outcome == nil && a.Referee == referee {
				return league.Reassign(s, a), nil
			}
			return nil, nil
		})
		return protocol.Errorf(protocol.InvalidMessage, "%s", wrong.why)
	}
	return err
}

// untrue says why a report cannot be what happened.
type untrue struct{ why string }

func (u *untrue) Error() string { return u.why }

// checkResult holds a report against what the manager knows: a native referee's
// has to follow from the draw, the moves and what players signed; another one's
// must not contradict itself.
func (m *Manager) checkResult(s *league.State, referee string, r *protocol.MatchResultReport, match *league.Match) error {
	by := s.Agents[referee]
	if !by.Native() {
		r.Signed, r.Moves, r.Fairness = nil, nil, nil // it has nothing to prove them with
		r.GameType = s.Created.GameType               // which some call by a name of their own
		if m.opts.Plausible != nil {
			if err := m.opts.Plausible(r, match.A, match.B); err != nil {
				return &untrue{"the figures contradict each other: " + err.Error()}
			}
		}
		return nil
	}
	if m.opts.CheckResult == nil {
		return nil
	}
	key := m.drawKey(s, match)
	forfeit := r.Result.Details.Status == protocol.TechnicalLoss
	if !by.Organiser && forfeit && (r.Fairness == nil || r.Fairness.Key == "") {
		r.Fairness = &protocol.Fairness{Key: key} // which nobody has told to a guest
	}
	switch {
	case !by.Organiser && !forfeit:
		return protocol.Errorf(protocol.OutOfTurn, "a guest reports the moves of %s first, with %s", match.ID, protocol.TypeMatchMovesReport)
	case r.Fairness == nil || r.Fairness.Key != key:
		return protocol.Errorf(protocol.InvalidMessage, "fairness.key: that is not the draw key of %s", match.ID).With("field", "fairness.key")
	}
	if err := m.followsFrom(r, match); err != nil {
		return err
	}
	if id := league.Unsigned(s, match, r.Moves, r.Result.Details.Forfeits, r.Signed); id != "" {
		return &untrue{fmt.Sprintf("%s signs its answers, and the report of %s has no signature of it", id, match.ID)}
	}
	if by.Organiser { // it has checked them on arrival; verify does so again
		return nil
	}
	at, _ := match.AssignedTo(referee, r.Attempt)
	if err := league.CheckSigned(s, match, at, league.Commitment(key), r.Signed); err != nil {
		return &untrue{err.Error()}
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
	m.Read(func(s *league.State) {
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
	if err := m.checkOrder(from, msg.Head()); err != nil {
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
	m.Read(func(s *league.State) { rounds = league.Scheduled(s, protocol.QueryParams{}) })
	data, err := json.Marshal(map[string]any{"schedule": rounds})
	if err != nil {
		return nil, err
	}
	return m.answer(protocol.QuerySchedule, data), nil
}

// missing says what the league lacks before it can start, or "".
func (m *Manager) missing(s *league.State) string {
	count := func(role protocol.Role) (n int) {
		for _, a := range s.Agents {
			if a.Role == role && a.State != protocol.AgentShutdown && !a.LostPlace() && m.probeState(a.ID) != probeFailed {
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
