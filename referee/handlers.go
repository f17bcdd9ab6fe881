package referee

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"agentleague/protocol"
	"agentleague/rpc"
)

// handle registers the message handlers of the referee.
func (r *Referee) handle() {
	r.Node.Handle(protocol.TypeStartMatch, r.startMatch)
	r.Node.Handle(protocol.TypeRoundAnnouncement, r.announced)
	r.Node.Handle(protocol.TypeLeagueCompleted, r.leagueCompleted)
	r.Node.Handle(protocol.TypeLeagueError, r.leagueError)
	r.Node.Handle(protocol.TypeLeagueStandingsUpdate, r.hearTable)
	r.Node.HandleOpen(protocol.TypeGetMatchState, r.tellState)
	r.Node.HandleOpen(protocol.TypeCollectChoices, r.tellState)
	r.Node.HandleOpen(protocol.TypeDrawNumber, r.tellState)
	r.Node.HandleOpen(protocol.TypeFinalizeMatch, r.tellState)
	r.Node.Handle(protocol.TypeGetMatchRecords, r.tellRecords)
	r.Node.HandleOpen(protocol.TypeRegisterToLeague, r.registerAgain)
}

// startMatch handles an order to play one attempt at a match. It is idempotent: an order for an attempt in play is only
// acknowledged, and an order for a recorded attempt makes the referee report it again.
func (r *Referee) startMatch(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	g, err := r.manager.grantFor(m.Head())
	if err != nil {
		return nil, err
	}
	start := m.(*protocol.StartMatch).Show(g.Token)
	if !g.Native {
		r.inferManagerTraits(start, from)
	}
	var status string
	var result *protocol.MatchResultReport
	if from.Method == runMatch && !g.Native {
		status, result, err = r.queue.acceptAndWait(ctx, start)
	} else {
		status, err = r.queue.accept(ctx, start)
	}
	if err != nil {
		return nil, err
	}
	return &protocol.StartMatchAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatchAck, LeagueID: start.LeagueID, RoundID: start.RoundID, MatchID: start.MatchID,
		},
		Status: status, Result: result,
	}, nil
}

// inferManagerTraits derives traits of a third-party manager from its order: the players' likely dialect, and the value
// for a draw. Managers that use message types as methods, or send no envelope, do not use null for a draw.
func (r *Referee) inferManagerTraits(start *protocol.StartMatch, from rpc.From) {
	hintDialect(start, from.Dialect)
	typed := from.Method != "" && from.Method == strings.ToUpper(from.Method)
	if typed || start.Sender == "" {
		r.results.draws.expectWord()
	}
}

// runMatch is the method of an order whose answer contains the result. Managers that call it accept no reports.
const runMatch = "run_match"

// announced handles the announcement of a round. From a third-party manager it queues the matches that are assigned to
// this referee; a manager of this project sends a separate order for each match.
func (r *Referee) announced(_ context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	news := m.(*protocol.RoundAnnouncement)
	if err := r.manager.check(m.Head()); err != nil {
		return nil, err
	}
	if r.manager.foreign() {
		for _, match := range news.Matches {
			if r.manager.assigns(match) {
				start := orderOf(news, match)
				hintDialect(start, from.Dialect)
				r.queue.add(start)
			}
		}
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeRoundAnnouncementAck, LeagueID: news.LeagueID,
			RoundID: news.RoundID},
		Status: protocol.Acknowledged,
	}, nil
}

// hearTable handles the standings that some third-party managers send to referees.
func (r *Referee) hearTable(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.manager.check(m.Head()); err != nil {
		return nil, err
	}
	if r.manager.foreign() && r.results.draws.holdAgainst(m.(*protocol.StandingsUpdate).Standings) {
		r.Node.Logger.Warn(r.results.draws.warning())
	}
	ack := r.ack(protocol.TypeStandingsUpdateAck, m)
	ack.RoundID = m.Head().RoundID
	return ack, nil
}

// tellState returns the progress of a match: which players have answered, but never their answers.
func (r *Referee) tellState(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	told, err := r.Tell(m.Head().LeagueID, m.Head().MatchID)
	if err != nil {
		return nil, err
	}
	return told, nil
}

// registerAgain registers with the manager that the request names, or with the current one, and returns that manager's
// answer.
func (r *Referee) registerAgain(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	known, err := r.manager.switchTo(m.(*protocol.RegisterToLeague).LeagueEndpoint)
	if err != nil {
		return nil, err
	}
	spec, _ := protocol.Lookup(m.Head().MessageType)
	ctx, cancel := context.WithTimeout(ctx, spec.Deadline)
	defer cancel()
	answer, err := r.manager.register(ctx, "")
	if err != nil {
		r.manager.switchBack(known)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, protocol.Errorf(protocol.Connection, "the manager cannot be reached")
	}
	if answer == nil {
		return nil, err
	}
	said := *answer
	said.AuthToken = nil // a secret of the referee
	said.Envelope = protocol.Envelope{MessageType: protocol.TypeRefereeRegisterResponse}
	return &said, nil
}

// leagueCompleted handles the manager's announcement that the league is over. If it names a next league, the referee
// continues there.
func (r *Referee) leagueCompleted(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.manager.check(m.Head()); err != nil {
		return nil, err
	}
	r.manager.applicant.Ended(r.manager.granted().Seal)
	r.manager.goOn(m.(*protocol.LeagueCompleted).NextLeagueID)
	if r.opts.Over != nil {
		r.over.Do(r.opts.Over)
	}
	return r.ack(protocol.TypeLeagueCompletedAck, m), nil
}

// leagueError logs an error message of the manager.
func (r *Referee) leagueError(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.manager.check(m.Head()); err != nil {
		return nil, err
	}
	e := m.(*protocol.LeagueError)
	r.Node.Logger.Warn("the manager reports: "+protocol.Plain(e.Sentence()),
		slog.String("event_type", string(protocol.TypeLeagueError)), slog.String("error_code", e.ErrorCode))
	return r.ack(protocol.TypeLeagueErrorAck, m), nil
}

// ack returns the acknowledgement, of type t, of a message m of the manager.
func (r *Referee) ack(t protocol.Type, m protocol.Message) *protocol.Ack {
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: t, LeagueID: m.Head().LeagueID},
		Status:   protocol.Acknowledged, RefereeID: r.manager.granted().ID,
	}
}
