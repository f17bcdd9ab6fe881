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

// ErrNobody means that no player answers at an address.
var ErrNobody = errors.New("no player answers")

// An organizer stands where a manager would, for one match: it registers those
// with the join keys that it made, orders the match and takes the report.
type organizer struct {
	*rpc.Node
	league    string
	agreement *native.Agreement
	keys      map[string]string // join keys of the agents that are hosted here, by id
	report    chan struct{}     // has an element once the result is known

	mu     sync.Mutex
	agreed map[string]*protocol.Credential // by id
}

// newOrganizer replaces a manager in one match: it admits the two players and the referee, and receives the result.
// Keys are new for each match.
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

// contender describes a side to the referee. Only a hosted player can recompute the token; to others it is an opaque
// constant.
func (o *organizer) contender(s *Contestant, match string) protocol.Contender {
	return protocol.Contender{
		ID: s.ID, Endpoint: s.Endpoint, Dialect: s.Dialect, State: protocol.AgentActive, RegisteredAt: protocol.Stamp(time.Now()),
		Token: protocol.MatchToken(o.token(s.ID), o.league, match, 1, refereeID),
	}
}

// play orders the match and returns when its result has been reported.
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

// announce sends the match to running agents, ignores their answers, and keeps their dialects.
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

// token is the secret shared with a hosted agent; for others an opaque constant.
func (o *organizer) token(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.agreed[id]; c != nil {
		return c.Token
	}
	return o.keys[id]
}

// registerReferee lets the referee of this match in.
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

// agree agrees on a token with an agent of this match, which shows its join key.
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

// reported receives the end of the match. The result is read from the referee's record, not from the report.
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
