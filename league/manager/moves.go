package manager

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A guest shows the moves of a match before anybody draws. What it has shown is
// final: the manager draws, records the result and tells it how the match ends.

// moves records a match of which a guest reports the moves.
func (m *Manager) moves(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchMovesReport)
	referee, err := m.judge(ctx, from, msg.Head())
	if err != nil {
		return nil, err
	}
	if m.foreign(referee) || m.organisers(referee) || m.opts.Decide == nil || m.opts.CheckResult == nil {
		return nil, protocol.Errorf(protocol.OutOfTurn, "%s reports results, not moves", referee)
	}
	report, err := m.decided(referee, r)
	if err != nil {
		return nil, err
	}
	err = m.do(ctx, func(s *league.State) ([]league.Event, error) {
		match := s.Matches[r.MatchID]
		if match.Outcome == nil {
			at, _ := match.AssignedTo(referee, r.Attempt)
			if err := league.CheckSigned(s, match, at, league.Commitment(report.Fairness.Key), r.Signed); err != nil {
				return nil, &untrue{err.Error()}
			}
			if id := league.Unsigned(s, match, r.Moves, nil, r.Signed); id != "" {
				return nil, &untrue{fmt.Sprintf("%s signs its answers, and the moves of %s have no signature of it", id, match.ID)}
			}
		}
		events, err := league.RecordResult(s, referee, report, func(match *league.Match) error { return m.followsFrom(report, match) })
		if err == nil {
			events = append(events, league.LearnedOf(s, r.Dialects)...)
		}
		return events, err
	})
	if err := m.weigh(ctx, referee, r.MatchID, r.Attempt, err); err != nil {
		return nil, err
	}
	return &protocol.MatchMovesAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchMovesAck, LeagueID: m.opts.LeagueID, MatchID: r.MatchID, RoundID: r.RoundID},
		Status:   protocol.Accepted, Result: report.Result,
		Fairness: protocol.Fairness{Commitment: league.Commitment(report.Fairness.Key), Key: report.Fairness.Key},
	}, nil
}

// followsFrom refuses a report that does not follow from its moves and draw, or
// from what players signed.
func (m *Manager) followsFrom(r *protocol.MatchResultReport, match *league.Match) error {
	if err := m.opts.CheckResult(r, match.A, match.B); err != nil {
		return &untrue{fmt.Sprintf("the result does not follow from the moves and the draw: %v", err)}
	}
	return nil
}

// decided turns the moves of a match into the report of its result.
func (m *Manager) decided(referee string, r *protocol.MatchMovesReport) (*protocol.MatchResultReport, error) {
	var key, a, b string
	m.Read(func(s *league.State) {
		if match := s.Matches[r.MatchID]; match != nil {
			if _, ok := match.AssignedTo(referee, r.Attempt); ok {
				key, a, b = m.drawKey(s, match), match.A, match.B
			}
		}
	})
	if key == "" {
		return nil, protocol.Errorf(protocol.MatchNotFound, "match %q was not assigned to %s", league.Clip(r.MatchID), referee)
	}
	result, err := m.opts.Decide(r, key, a, b)
	if err != nil {
		return nil, protocol.Errorf(protocol.InvalidMessage, "moves: %v", err).With("field", "moves")
	}
	out := &protocol.MatchResultReport{
		GameType: r.GameType, Result: result, Attempt: r.Attempt, Moves: r.Moves, Signed: r.Signed, Fairness: &protocol.Fairness{Key: key},
	}
	out.MatchID, out.RoundID = r.MatchID, r.RoundID
	return out, nil
}

// protest notes what a player finds wrong in the end of its match. The result
// may still be on its way: a player hears of it first.
func (m *Manager) protest(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	p := msg.(*protocol.MatchProtest)
	role, id, err := m.question(from, msg.Head())
	if err != nil {
		return nil, err
	}
	var plays bool
	m.Read(func(s *league.State) {
		match := s.Matches[p.MatchID]
		plays = match != nil && (match.A == id || match.B == id)
	})
	if role != protocol.RolePlayer || !plays {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s is no match of %s", league.Clip(p.MatchID), id)
	}
	if !m.awaitResult(ctx, p.MatchID) {
		return nil, protocol.Errorf(protocol.MatchNotFound, "%s has no result yet; protest again when it has", p.MatchID).Pass()
	}
	detail := p.Detail
	if p.Signed != nil {
		detail = fmt.Sprintf("%s (%s)", detail, m.borneOut(p, id))
	}
	m.warn("a player protests against a result", slog.String("match_id", p.MatchID), slog.String("player_id", id), slog.String("what", league.Clip(p.What)), slog.String("detail", league.ClipTo(protocol.Plain(detail), 500)))
	err = m.do(ctx, func(s *league.State) ([]league.Event, error) {
		return league.Contest(s, league.Contested{Match: p.MatchID, Attempt: p.Attempt, By: protocol.Sender(protocol.RolePlayer, id), What: league.Clip(p.What), Detail: detail}), nil
	})
	if err != nil {
		return nil, err
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchProtestAck, LeagueID: m.opts.LeagueID, MatchID: p.MatchID, RoundID: p.RoundID},
		Status:   protocol.Acknowledged, PlayerID: id,
	}, nil
}

// borneOut says whether the answers that a protest shows were signed by the player in that match.
func (m *Manager) borneOut(p *protocol.MatchProtest, id string) (words string) {
	words = "the answers that it shows are not signed by it in this match"
	m.Read(func(s *league.State) {
		match := s.Matches[p.MatchID]
		for _, at := range match.Assigned {
			if at.Attempt == p.Attempt && league.CheckSigned(s, match, at, league.Commitment(m.drawKey(s, match)), map[string]protocol.SignedAnswers{id: *p.Signed}) == nil {
				words = "the answers that it shows are signed by it"
			}
		}
	})
	return words
}

// awaitResult waits a moment for the result of a match.
func (m *Manager) awaitResult(ctx context.Context, match string) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for {
		changed := m.Changed()
		var there bool
		m.Read(func(s *league.State) { there = s.Matches[match].Outcome != nil })
		if there {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-m.ctx.Done():
			return false
		}
	}
}
