package referee

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// tellState returns the progress of a match: the players that have answered, never their answers.
func (r *Referee) tellState(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	told, err := r.Tell(m.Head().LeagueID, m.Head().MatchID)
	if err != nil {
		return nil, err
	}
	return told, nil
}

// Tell returns the public state of a match: its progress, the spectator's view while it is played, and its result
// when it is over. The league is the referee's own if none is named.
func (r *Referee) Tell(league, id string) (*protocol.MatchState, error) {
	r.mu.Lock()
	match := r.matches[matchKey{cmp.Or(league, r.grant.League), id}]
	r.mu.Unlock()
	if match == nil {
		return nil, protocol.Errorf(protocol.MatchNotFound, "this referee has no match %q", id)
	}
	return match.tell(), nil
}

// registerAgain registers with the manager that the request names, or the current one, and returns its answer.
func (r *Referee) registerAgain(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	known, err := r.serve(m.(*protocol.RegisterToLeague).LeagueEndpoint)
	if err != nil {
		return nil, err
	}
	spec, _ := protocol.Lookup(m.Head().MessageType)
	ctx, cancel := context.WithTimeout(ctx, spec.Deadline)
	defer cancel()
	answer, err := r.register(ctx, "")
	if err != nil {
		r.unserve(known)
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

// serve sets the manager that the referee registers with, unless it serves another, and returns the previous one.
func (r *Referee) serve(manager string) (known string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known = r.manager
	switch {
	case manager == "" && known == "":
		return "", protocol.Errorf(protocol.MissingField, "league_endpoint: this referee has no manager").With("field",
			"league_endpoint")
	case manager != "" && known != "" && manager != known:
		return "", protocol.Errorf(protocol.OutOfTurn, "this referee works for another manager")
	case manager != "":
		r.manager = manager
	}
	return known, nil
}

// unserve forgets a manager that did not take the referee, if it has never had one.
func (r *Referee) unserve(known string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.registered {
		r.manager = known
	}
}

// leagueCompleted handles the announcement that the league is over, from the manager alone. If a next season is named
// the referee continues there.
func (r *Referee) leagueCompleted(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	r.applicant.Ended(r.Granted().Seal)
	r.goOn(m.(*protocol.LeagueCompleted).NextLeagueID)
	if r.opts.Over != nil {
		r.over.Do(r.opts.Over)
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompletedAck, LeagueID: m.Head().LeagueID},
		Status:   protocol.Acknowledged, RefereeID: r.Granted().ID,
	}, nil
}

// leagueError logs a complaint of the manager.
func (r *Referee) leagueError(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	e := m.(*protocol.LeagueError)
	r.Node.Logger.Warn("the manager reports: "+protocol.Plain(e.Sentence()),
		slog.String("event_type", string(protocol.TypeLeagueError)), slog.String("error_code", e.ErrorCode))
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueErrorAck, LeagueID: m.Head().LeagueID},
		Status:   protocol.Acknowledged, RefereeID: r.Granted().ID,
	}, nil
}
