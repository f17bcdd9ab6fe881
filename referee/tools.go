package referee

import (
	"context"
	"errors"

	"agentleague/protocol"
	"agentleague/rpc"
)

// tellState tells how far a match is: who has answered, never what.
func (r *Referee) tellState(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	id := m.Head().MatchID
	r.mu.Lock()
	match := r.matches[id]
	r.mu.Unlock()
	if match == nil {
		return nil, protocol.Errorf(protocol.MatchNotFound, "this referee has no match %q", id)
	}
	return match.tell(), nil
}

// tellRecords hands out records by their bytes, so that their hash can be checked.
func (r *Referee) tellRecords(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	ask := m.(*protocol.GetMatchRecords)
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	if len(ask.Records) > protocol.MaxRecords {
		return nil, protocol.Errorf(protocol.InvalidMessage, "records: want at most %d, got %d", protocol.MaxRecords, len(ask.Records))
	}
	out := &protocol.MatchRecords{Envelope: protocol.Envelope{MessageType: protocol.TypeMatchRecords}, Records: []protocol.RecordDocument{}}
	for _, ref := range ask.Records {
		doc, err := r.opts.Recorder.Document(ctx, ref)
		if errors.Is(err, ErrNoRecord) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Records = append(out.Records, protocol.RecordDocument{RecordRef: ref, Document: string(doc)})
	}
	return out, nil
}

// registerAgain registers with the manager that the request names, or the one known.
func (r *Referee) registerAgain(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	ask := m.(*protocol.RegisterToLeague)
	if ask.LeagueEndpoint != "" {
		r.mu.Lock()
		if r.manager != "" && r.manager != ask.LeagueEndpoint {
			r.mu.Unlock()
			return nil, protocol.Errorf(protocol.OutOfTurn, "this referee serves another manager")
		}
		r.manager = ask.LeagueEndpoint
		r.mu.Unlock()
	}
	answer, err := r.register(ctx)
	if err != nil {
		return nil, err
	}
	said := *answer
	said.AuthToken = nil // its own, not to be told
	said.Envelope = protocol.Envelope{MessageType: protocol.TypeRefereeRegisterResponse}
	return &said, nil
}

func (r *Referee) leagueCompleted(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompletedAck, LeagueID: m.Head().LeagueID},
		Status:   protocol.Acknowledged, RefereeID: r.Granted().ID,
	}, nil
}
