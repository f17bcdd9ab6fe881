package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// ErrInterrupted says that a match did not come to its end.
var ErrInterrupted = errors.New("interrupted: the match was not finished")

// ErrNobody says that no player answers where one is looked for.
var ErrNobody = errors.New("no player answers")

// An organizer stands where a manager would, for one match: it registers those
// who show the tokens that it made, orders the match and takes the report.
type organizer struct {
	*rpc.Node
	league string
	tokens map[string]string // by agent
	report chan struct{}     // has an element once the result is known
}

// newOrganizer stands in for a manager in one match: it lets in the two players and the referee, and hears the
// result. Tokens are new for each match.
func newOrganizer(caller rpc.Options, league string, contestants [2]*Contestant) *organizer {
	o := &organizer{
		Node: rpc.NewNode(protocol.Manager, caller), league: league, tokens: map[string]string{},
		report: make(chan struct{}, 1),
	}
	for _, id := range []string{refereeID, contestants[0].ID, contestants[1].ID} {
		o.tokens[id] = "tok_friendly_" + o.Nonce(16)
	}
	o.Handle(protocol.TypeRefereeRegisterRequest, o.registerReferee)
	o.Handle(protocol.TypeLeagueRegisterRequest, o.registerPlayer)
	o.Handle(protocol.TypeMatchResultReport, o.reported)
	return o
}

// contender describes a side to the referee. Only a player that is hosted here
// can recompute the token; to others it is a text that stays the same.
func (o *organizer) contender(s *Contestant, match string) protocol.Contender {
	return protocol.Contender{
		ID: s.ID, Endpoint: s.Endpoint, Dialect: s.Dialect, State: protocol.AgentActive, RegisteredAt: protocol.Stamp(time.Now()),
		Token: protocol.MatchToken(o.tokens[s.ID], o.league, match, 1, refereeID),
	}
}

// play orders the match and returns when its result has been reported.
func (o *organizer) play(ctx context.Context, referee string, start *protocol.StartMatch) error {
	start.AuthToken = protocol.ManagerToken(o.tokens[refereeID], o.league, protocol.TypeStartMatch, start.RoundID)
	reply, err := o.Call(ctx, rpc.Peer{Endpoint: referee}, start)
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	if err != nil {
		return fmt.Errorf("the referee does not accept the match: %w", err)
	}
	if ack := reply.(*protocol.StartMatchAck); ack.Status != protocol.Accepted {
		return fmt.Errorf("the referee does not accept the match: %s", ack.Status)
	}
	select {
	case <-o.report:
		return nil
	case <-ctx.Done():
		return ErrInterrupted
	}
}

// announce tells those who run somewhere of the match, whatever they answer, and keeps how they want to be spoken to.
func (o *organizer) announce(ctx context.Context, round protocol.Round, match protocol.AnnouncedMatch,
	contestants [2]*Contestant) {
	for _, s := range contestants {
		if s.Strategy != nil {
			continue
		}
		to := rpc.Peer{Endpoint: s.Endpoint, Dialect: s.Dialect}
		_, _ = o.Call(ctx, to, &protocol.RoundAnnouncement{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeRoundAnnouncement, ConversationID: "conv-round-" + o.Nonce(4), LeagueID: o.league,
				RoundID: round,
			},
			Matches: []protocol.AnnouncedMatch{match}, Byes: []string{},
		})
		s.Dialect = o.Dialect(to)
	}
}

// known checks that a message comes from an agent of this match.
func (o *organizer) known(h *protocol.Envelope) (id string, err error) {
	_, id = protocol.ParseSender(h.Sender)
	if want := o.tokens[id]; want == "" || !protocol.SameToken(want, h.AuthToken) {
		return "", protocol.Errorf(protocol.AuthTokenInvalid,
			"this is a match between two players; nobody else can take part")
	}
	return id, nil
}

// registerReferee lets the referee of this match in.
func (o *organizer) registerReferee(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	id, err := o.known(m.Head())
	if err != nil {
		return nil, err
	}
	return &protocol.RefereeRegisterResponse{
		Admission: o.admission(id, protocol.TypeRefereeRegisterResponse), RefereeID: &id,
	}, nil
}

// registerPlayer lets a player of this match in.
func (o *organizer) registerPlayer(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	id, err := o.known(m.Head())
	if err != nil {
		return nil, err
	}
	return &protocol.LeagueRegisterResponse{
		Admission: o.admission(id, protocol.TypeLeagueRegisterResponse), PlayerID: &id,
	}, nil
}

// admission grants an agent its id and token, as a native one.
func (o *organizer) admission(id string, t protocol.Type) protocol.Admission {
	token, league := o.tokens[id], o.league
	return protocol.Admission{
		Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted, AuthToken: &token,
		LeagueID: &league, Native: true,
	}
}

// reported hears that the match is over. What came of it is read from the referee's record, not from the report.
func (o *organizer) reported(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	if _, err := o.known(m.Head()); err != nil {
		return nil, err
	}
	select {
	case o.report <- struct{}{}:
	default: // the same report again
	}
	h := m.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultAck, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID,
		},
		Status: protocol.Accepted,
	}, nil
}
