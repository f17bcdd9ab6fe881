package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// results takes what referees report, and has it recorded if it can be true.
type results struct {
	*core
	*ledger
	gate  *gate
	keys  *keyring
	tasks *matchTasks
	meant meanings
}

// report records the result of a match.
func (rs *results) report(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchResultReport)
	referee, err := rs.gate.judge(ctx, from, msg)
	if err != nil {
		return nil, err
	}
	if rs.foreign(referee) {
		rs.identify(referee, r)
	}
	if r.MatchID == "" {
		return nil, protocol.Errorf(protocol.MissingField, "%s: the field match_id is missing", r.MessageType).
			With("field", "match_id")
	}
	if err := rs.count(ctx, referee, r); err != nil {
		return nil, err
	}
	var round int
	rs.Read(func(s *league.State) { round = s.Matches[r.MatchID].Round })
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: rs.opts.LeagueID, MatchID: r.MatchID,
			RoundID: protocol.Round(round),
		},
		Status: protocol.Accepted,
	}, nil
}

// count records what a referee reports. What cannot be true is refused, and
// another one has the match; a second story of a recorded match is noted.
func (rs *results) count(ctx context.Context, referee string, r *protocol.MatchResultReport) error {
	fresh := false // it is not a repetition of what is recorded
	err := rs.do(ctx, func(s *league.State) ([]league.Event, error) {
		events, err := league.RecordResult(s, referee, r, func(match *league.Match) error {
			return rs.checkResult(s, referee, r, match)
		})
		fresh = len(events) > 0
		if err == nil {
			events = append(events, league.LearnedOf(s, r.Dialects)...)
		}
		return events, err
	})
	if err == nil && fresh {
		rs.noteForfeits(referee, r)
	}
	return rs.weigh(ctx, referee, r.MatchID, r.Attempt, err)
}

// weigh does what follows from how a report was taken: what cannot be true goes
// to another referee, if there is one, and a second story is noted.
func (rs *results) weigh(ctx context.Context, referee, match string, attempt int, err error) error {
	var wrong *untrue
	switch {
	case protocol.Is(err, protocol.DuplicateReport):
		rs.warn("a referee reports another result of a recorded match", slog.String("match_id", league.Clip(match)),
			slog.String("referee_id", referee))
		_ = rs.do(ctx, func(s *league.State) ([]league.Event, error) {
			return league.Contest(s, league.Contested{Match: match, Attempt: attempt,
				By: protocol.Sender(protocol.RoleReferee, referee), What: protocol.ProtestResult,
				Detail: "it reported another result"}), nil
		})
	case errors.As(err, &wrong):
		rs.warn("a report was refused: "+wrong.why, slog.String("match_id", league.Clip(match)),
			slog.String("referee_id", referee))
		_ = rs.do(ctx, func(s *league.State) ([]league.Event, error) {
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
func (rs *results) checkResult(
	s *league.State, referee string, r *protocol.MatchResultReport, match *league.Match,
) error {
	by := s.Agents[referee]
	if !by.Native() {
		r.Signed, r.Moves, r.Fairness = nil, nil, nil // it has nothing to prove them with
		r.GameType = s.Created.GameType               // which some call by a name of their own
		if rs.opts.Plausible != nil {
			if err := rs.opts.Plausible(r, match.A, match.B); err != nil {
				return &untrue{"the figures contradict each other: " + err.Error()}
			}
		}
		return nil
	}
	if rs.opts.CheckResult == nil {
		return nil
	}
	key := rs.keys.drawKey(s, match)
	forfeit := r.Result.Details.Status == protocol.TechnicalLoss
	if !by.Organiser && forfeit && (r.Fairness == nil || r.Fairness.Key == "") {
		r.Fairness = &protocol.Fairness{Key: key} // which nobody has told to a guest
	}
	switch {
	case !by.Organiser && !forfeit:
		return protocol.Errorf(protocol.OutOfTurn, "a guest must report the moves of %s first, with %s", match.ID,
			protocol.TypeMatchMovesReport)
	case r.Fairness == nil || r.Fairness.Key != key:
		return protocol.Errorf(protocol.InvalidMessage, "fairness.key: this is not the draw key of %s", match.ID).
			With("field", "fairness.key")
	}
	if err := rs.followsFrom(r, match); err != nil {
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
