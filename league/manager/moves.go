package manager

import (
	"context"
	"fmt"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A guest referee, which is not the organizer's, must report the moves of a match before it learns the draw. Reported
// moves are final: the manager then draws, records the result and returns that to the guest referee.

// moves handles a guest referee's report of the moves of a match, and records the result.
func (rs *results) moves(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchMovesReport)
	referee, err := rs.auth.judge(ctx, from, msg)
	if err != nil {
		return nil, err
	}
	if rs.isForeign(referee) || rs.isOrganisersReferee(referee) || rs.opts.Decide == nil || rs.opts.CheckResult == nil {
		return nil, protocol.Errorf(protocol.OutOfTurn, "%s reports results, not moves", referee)
	}
	report, err := rs.resultOfMoves(referee, r)
	if err != nil {
		return nil, err
	}
	err = rs.Do(ctx, func(s *league.State) ([]league.Event, error) {
		match := s.Matches[r.MatchID]
		if match.Outcome == nil {
			at, _ := match.AssignedTo(referee, r.Attempt)
			if err := league.CheckSigned(s, match, at, league.Commitment(report.Fairness.Key), r.Signed); err != nil {
				return nil, &untrue{err.Error()}
			}
			if id := league.Unsigned(s, match, r.Moves, nil, r.Signed); id != "" {
				return nil, &untrue{fmt.Sprintf("%s signs its answers, and the moves of %s have no signature of it",
					id, match.ID)}
			}
		}
		events, err := league.RecordResult(s, referee, report,
			func(match *league.Match) (string, error) { return "", rs.followsFrom(report, match) })
		if err == nil {
			events = append(events, league.LearnedOf(s, r.Dialects)...)
		}
		return events, err
	})
	if err := rs.weigh(ctx, from, referee, r.MatchID, r.Attempt, err); err != nil {
		return nil, err
	}
	return &protocol.MatchMovesAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchMovesAck, LeagueID: rs.opts.LeagueID,
			MatchID: r.MatchID, RoundID: r.RoundID},
		Status: protocol.Accepted, Result: report.Result,
		Fairness: protocol.Fairness{Commitment: league.Commitment(report.Fairness.Key), Key: report.Fairness.Key},
	}, nil
}

// resultOfMoves draws and computes the result of a match from the reported moves.
func (rs *results) resultOfMoves(referee string, r *protocol.MatchMovesReport) (*protocol.MatchResultReport, error) {
	var key, a, b string
	rs.Read(func(s *league.State) {
		if match := s.Matches[r.MatchID]; match != nil {
			if _, ok := match.AssignedTo(referee, r.Attempt); ok {
				key, a, b = rs.keys.DrawKey(s, match), match.A, match.B
			}
		}
	})
	if key == "" {
		return nil, protocol.Errorf(protocol.MatchNotFound, "match %q was not assigned to %s", league.Clip(r.MatchID),
			referee)
	}
	result, err := rs.opts.Decide(r, key, a, b)
	if err != nil {
		return nil, protocol.Errorf(protocol.InvalidMessage, "moves: %v", err).With("field", "moves")
	}
	out := &protocol.MatchResultReport{
		GameType: r.GameType, Result: result, Attempt: r.Attempt, Moves: r.Moves, Signed: r.Signed,
		Fairness: &protocol.Fairness{Key: key},
	}
	out.MatchID, out.RoundID = r.MatchID, r.RoundID
	return out, nil
}
