package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/protocol"
	"agentleague/rpc"
)

// results validates the reports of referees, and records them.
type results struct {
	*core
	*ledger
	auth     *authenticator
	keys     *keyring.Keyring
	tasks    *matchTasks
	resolver *matchResolver

	obstacles obstacles
	causes    sync.Map // by player: why it forfeited; none once it has played a match
}

// report records the result of a match.
func (rs *results) report(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.MatchResultReport)
	referee, err := rs.auth.judge(ctx, from, msg)
	if err != nil {
		rs.refuseUnknown(ctx, from, protocol.AsError(err).Sentence())
		return nil, err
	}
	if rs.isForeign(referee) {
		rs.resolver.resolve(referee, r)
	}
	var repeated error // in a profile that has it so
	rs.Read(func(s *league.State) {
		if rs.Node.Profile.Rules().RefusesRepeats && !s.Agents[referee].Native() {
			repeated = s.Matches[r.MatchID].Reported("the result of match %s has been reported before")
		}
	})
	if r.MatchID == "" {
		err = protocol.Errorf(protocol.MissingField, "%s: the field match_id is missing", r.MessageType).
			With("field", "match_id")
	} else {
		err = rs.count(ctx, referee, r)
	}
	if err = rs.weigh(ctx, from, referee, r.MatchID, r.Attempt, err); err != nil {
		return nil, err
	}
	if repeated != nil {
		return nil, repeated
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

// count verifies and records a referee's report. It returns an *untrue error for an impossible report, and an error of
// kind DuplicateReport for a report that differs from the recorded result of its match; weigh handles both.
func (rs *results) count(ctx context.Context, referee string, r *protocol.MatchResultReport) error {
	fresh, note := false, "" // not a duplicate; the unusual trait of the report
	err := rs.Do(ctx, func(s *league.State) ([]league.Event, error) {
		events, err := league.RecordResult(s, referee, r, func(match *league.Match) (string, error) {
			if !s.Agents[referee].Native() {
				var err error
				note, err = rs.checkForeign(s, r, match)
				return note, err
			}
			return "", rs.checkResult(s, referee, r, match)
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
	if err == nil && fresh && note != "" {
		rs.auth.SuspectAs("unusual report of "+referee, fmt.Sprintf("%s: the report of %s (guest) is unusual and counts as unproven: %s",
			r.MatchID, referee, note), referee)
	}
	return err
}

// weigh handles an error of count, and returns the error with which to answer the referee. After an impossible report
// the match goes to another referee, if there is one; a conflicting report is logged.
func (rs *results) weigh(ctx context.Context, from rpc.From, referee, match string, attempt int, err error) error {
	var wrong *untrue
	switch {
	case err == nil:
		rs.obstacles.forget(match)
	case protocol.Is(err, protocol.DuplicateReport):
		rs.auth.SuspectAs("second report of "+match, match+": "+referee+" reports another result of a recorded match", from.Addr)
		_ = rs.Do(ctx, func(s *league.State) ([]league.Event, error) {
			return league.Contest(s, league.Contested{Match: match, Attempt: attempt,
				By: protocol.Sender(protocol.RoleReferee, referee), What: protocol.ProtestResult,
				Detail: "it reported another result"}), nil
		})
	case errors.As(err, &wrong):
		rs.refuse(ctx, referee, match, wrong.why, from, true)
		return protocol.Errorf(protocol.InvalidMessage, "%s", wrong.why)
	case !protocol.AsError(err).Passing && protocol.AsError(err).Kind != protocol.Internal:
		rs.refuse(ctx, referee, league.Clip(match), protocol.AsError(err).Sentence(), from, false)
	}
	return err
}

// noteForfeits logs a warning for every technical loss in a new report, with the cause that the referee stated.
func (rs *results) noteForfeits(referee string, r *protocol.MatchResultReport) {
	lost := r.Result.Details.Forfeits
	if len(lost) == 0 {
		for player := range r.Result.Score {
			rs.causes.Delete(player)
		}
	}
	for _, player := range slices.Sorted(maps.Keys(lost)) {
		cause := cmp.Or(protocol.ForfeitCause(r.Result.Details.Reason, player), r.Result.Details.Reason)
		why := cmp.Or(league.ClipTo(protocol.Plain(cause), 500), protocol.ForfeitMeaning(lost[player]))
		rs.causes.Store(player, r.MatchID+": "+why)
		rs.note(slog.LevelWarn, protocol.TechnicalLoss,
			fmt.Sprintf("%s loses %s by technical loss: %s", league.Clip(player), league.Clip(r.MatchID), why),
			slog.String("match_id", league.Clip(r.MatchID)), slog.String("player_id", league.Clip(player)),
			slog.String("error_code", league.Clip(lost[player])), slog.String("referee_id", referee),
			slog.Float64("waited_sec", float64(r.AgentTiming[player].AgentUS/1000)/1000))
	}
}

// untrue is the error for a report that cannot be true.
type untrue struct{ why string }

func (u *untrue) Error() string { return u.why }

// checkForeign checks a third-party referee's report for contradictions, and returns a description of them. The
// contradictory report counts all the same, unless the league is strict or a referee of the organiser is free to play
// the match: then it returns an error.
func (rs *results) checkForeign(s *league.State, r *protocol.MatchResultReport, match *league.Match) (string, error) {
	r.Signed, r.Moves, r.Fairness = nil, nil, nil // it has nothing to prove them with
	r.GameType = s.Created.GameType               // some use another name for it
	if rs.opts.Plausible == nil {
		return "", nil
	}
	err := rs.opts.Plausible(r, match.A, match.B)
	switch {
	case err == nil:
		return "", nil
	case rs.Node.Strict || league.FreeOrganiser(s, match):
		return "", &untrue{"the figures contradict each other: " + err.Error()}
	}
	return err.Error(), nil
}

// checkResult verifies the report of a native referee: it must be consistent with the draw, the moves and the players'
// signatures.
func (rs *results) checkResult(
	s *league.State, referee string, r *protocol.MatchResultReport, match *league.Match,
) error {
	by := s.Agents[referee]
	if rs.opts.CheckResult == nil {
		return nil
	}
	key := rs.keys.DrawKey(s, match)
	forfeit := r.Result.Details.Status == protocol.TechnicalLoss
	if !by.Organiser && forfeit && (r.Fairness == nil || r.Fairness.Key == "") {
		r.Fairness = &protocol.Fairness{Key: key} // a guest referee does not have it
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

// followsFrom returns an untrue error if a report's result does not follow from its moves and draw, or if its moves
// differ from the players' signed answers. It does not verify the signatures.
func (rs *results) followsFrom(r *protocol.MatchResultReport, match *league.Match) error {
	if err := rs.opts.CheckResult(r, match.A, match.B); err != nil {
		return &untrue{fmt.Sprintf("the result does not follow from the moves and the draw: %v", err)}
	}
	return nil
}

// refuse logs a report that is not recorded, and records it as an obstacle while its match is open. If untrue is set,
// another referee gets the match at once; otherwise only if no other report arrives in time.
func (rs *results) refuse(ctx context.Context, referee, match, why string, from rpc.From, untrue bool) {
	var held bool
	_ = rs.Do(ctx, func(s *league.State) ([]league.Event, error) {
		m := s.Matches[match]
		if m == nil || m.Outcome != nil || m.Attempt().Referee != referee {
			return nil, nil
		}
		held = true
		rs.obstacles.note(m.Attempt(), "its last report was refused: "+why)
		if untrue {
			return league.Reassign(s, m.Attempt()), nil
		}
		return nil, nil
	})
	text := "a report of " + referee + " was refused: " + why
	if held {
		text = match + ": " + text
	}
	rs.auth.SuspectAs("report of "+referee+" "+match, text, from.Addr)
}

// unreadable handles a message that could not be decoded. If the message may be a report of a third-party referee in an
// unsupported encoding, it is logged as a refused report.
func (rs *results) unreadable(ctx context.Context, from rpc.From, t protocol.Type, body []byte, err error) {
	if t == protocol.TypeMatchResultReport {
		rs.refuseUnknown(ctx, from, fmt.Sprintf("%s: %s", protocol.AsError(err).Sentence(),
			protocol.Clip(protocol.RedactIn(protocol.Plain(string(body))), 200)))
	}
}

// refuseUnknown logs a report whose match could not be determined. It records an obstacle for every match that a
// third-party referee at that address plays.
func (rs *results) refuseUnknown(ctx context.Context, from rpc.From, why string) {
	var held []league.MatchAssigned
	var endpoints []string
	rs.Read(func(s *league.State) {
		for _, m := range s.Open() {
			if ref := s.Agents[m.Attempt().Referee]; ref != nil && !ref.Native() {
				held, endpoints = append(held, m.Attempt()), append(endpoints, ref.Endpoint)
			}
		}
	})
	for i, a := range held {
		if rs.Node.ComesFrom(ctx, from, endpoints[i]) {
			rs.obstacles.note(a, "its last report was refused: "+why)
		}
	}
	rs.auth.SuspectAs("unknown report", "a report was refused: "+why, from.Addr)
}
