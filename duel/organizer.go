package duel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// ErrInterrupted means that a match did not end.
var ErrInterrupted = errors.New("interrupted: the match was not finished")

// ErrNobody means that no player answers at an endpoint.
var ErrNobody = errors.New("no player answers")

// An organizer takes the place of a manager: it registers the agents that
// show its join keys, orders matches and receives reports.
type organizer struct {
	*rpc.Node
	league    string
	agreement *native.Agreement
	keys      map[string]string // join keys of the agents that are hosted here, by id
	report    chan struct{}     // has an element once the result is known

	mu     sync.Mutex
	agreed map[string]*protocol.Credential // by id
}

// newOrganizer returns an organizer for two contestants and a referee, with new join keys.
func newOrganizer(caller rpc.Options, league string, contestants [2]*Contestant) *organizer {
	o := &organizer{
		Node: rpc.NewNode(protocol.Manager, caller), league: league, keys: map[string]string{},
		report: make(chan struct{}, 1), agreed: map[string]*protocol.Credential{},
	}
	for _, id := range []string{refereeID, contestants[0].ID, contestants[1].ID} {
		o.keys[id] = o.Nonce(16)
	}
	o.Handle(protocol.TypeRefereeRegisterRequest, o.registerReferee)
	o.Handle(protocol.TypeLeagueRegisterRequest, o.registerPlayer)
	o.Handle(protocol.TypeMatchResultReport, o.reported)
	return o
}

// contender describes a player in an order to the referee. Only hosted players can verify the token.
func (o *organizer) contender(s *Contestant, match string) protocol.Contender {
	return protocol.Contender{
		ID: s.ID, Endpoint: s.Endpoint, Dialect: s.Dialect, State: protocol.AgentActive, RegisteredAt: protocol.Stamp(time.Now()),
		Token: protocol.MatchToken(o.token(s.ID), o.league, match, 1, refereeID),
	}
}

// play orders a match from the referee and waits for its report. It returns [ErrInterrupted] if ctx ends first.
func (o *organizer) play(ctx context.Context, referee string, start *protocol.StartMatch) error {
	start.AuthToken = protocol.ManagerToken(o.token(refereeID), o.league, protocol.TypeStartMatch, start.RoundID)
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

// announce sends the match to the running agents, ignores their answers, and stores the dialects that it learns.
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

// token returns the secret shared with a hosted agent, or the unused join key of any other.
func (o *organizer) token(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.agreed[id]; c != nil {
		return c.Token
	}
	return o.keys[id]
}

// registerReferee handles the registration of the referee.
func (o *organizer) registerReferee(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	r := m.(*protocol.RefereeRegisterRequest)
	id, err := o.agree(ctx, protocol.RoleReferee, m.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	return &protocol.RefereeRegisterResponse{
		Admission: o.admission(protocol.TypeRefereeRegisterResponse), RefereeID: &id,
	}, nil
}

// registerPlayer lets a player of this match in.
func (o *organizer) registerPlayer(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	r := m.(*protocol.LeagueRegisterRequest)
	id, err := o.agree(ctx, protocol.RolePlayer, m.Head(), r.Meta)
	if err != nil {
		return nil, err
	}
	return &protocol.LeagueRegisterResponse{
		Admission: o.admission(protocol.TypeLeagueRegisterResponse), PlayerID: &id,
	}, nil
}

// agree verifies the join key of an agent and agrees on a token with it. It returns an error for any other agent.
func (o *organizer) agree(
	ctx context.Context, role protocol.Role, h *protocol.Envelope, meta protocol.AgentMeta,
) (id string, err error) {
	_, id = protocol.ParseSender(h.Sender)
	if want := o.keys[id]; want == "" || !protocol.SameToken(want, h.AuthToken) {
		return "", errNotOfThisMatch()
	}
	answer, err := o.agreement.Welcome(ctx, o.Node, native.Newcomer{
		Role: role, ID: id, Epoch: 1, Endpoint: meta.ContactEndpoint, PublicKey: meta.PublicKey,
		AgreementKey: meta.AgreementKey, Conversation: h.ConversationID,
	})
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.agreed[id] = &answer.Credential
	h.AnswerWith(&answer.Credential)
	return id, nil
}

func errNotOfThisMatch() error {
	return protocol.Errorf(protocol.AuthTokenInvalid, "this is a match between two players; nobody else can take part")
}

// admission lets an agent in, as a native one.
func (o *organizer) admission(t protocol.Type) protocol.Admission {
	league := o.league
	return protocol.Admission{
		Envelope: protocol.Envelope{MessageType: t}, Status: protocol.Accepted, LeagueID: &league, Native: true,
	}
}

// reported handles the referee's report. It only signals the end of the match; the result is read from the record.
func (o *organizer) reported(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	o.mu.Lock()
	by := o.agreed[refereeID]
	o.mu.Unlock()
	if by == nil || !by.Requested(m) {
		return nil, errNotOfThisMatch()
	}
	m.Head().AnswerWith(by)
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
