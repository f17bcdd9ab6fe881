package check

import (
	"context"
	"fmt"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// league is the league that the checker plays.
const league = "league_check"

// A desk is the checker's own small manager: agents register there, and
// referees report to it.
type desk struct {
	*ear
	url  string
	key  []byte
	came chan struct{} // holds one when somebody has registered

	mu      sync.Mutex
	applied *message // the newest registration
	deaf    error    // why nothing answered at its endpoint at that moment
	meta    protocol.AgentMeta
	id      string // granted; "": nobody has registered
	token   string // the agent's T
	reports []message
	busy    int // so many reports are answered as if the manager were just being restarted
}

// openDesk begins to take registrations.
func (s *session) openDesk(ctx context.Context) (stop func(), err error) {
	d := &desk{key: make([]byte, 32), came: make(chan struct{}, 1)}
	s.node.Network.Random(d.key)
	d.ear = &ear{s: s, who: protocol.Manager, takes: map[protocol.Type]func(context.Context, message) (protocol.Message, error){
		protocol.TypeLeagueRegisterRequest:  d.admitPlayer,
		protocol.TypeRefereeRegisterRequest: d.admitReferee,
		protocol.TypeMatchResultReport:      d.report,
		protocol.TypePing:                   pong,
	}}
	d.other = func(ctx context.Context, addr string, body []byte) []byte { // answers that come by a call
		return s.node.Answer(ctx, rpc.From{Addr: addr}, body)
	}
	if d.url, stop, err = d.listen(ctx, s.Port); err != nil {
		return nil, fmt.Errorf("the checker's own manager cannot listen: %w", hintedError(err, s.Hints.Port))
	}
	s.desk = d
	if s.Ready != nil {
		s.Ready(d.url)
	}
	return stop, nil
}

func pong(context.Context, message) (protocol.Message, error) {
	return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok", Agent: protocol.Manager}, nil
}

func (d *desk) admitPlayer(ctx context.Context, m message) (protocol.Message, error) {
	a, id := d.admit(ctx, protocol.RolePlayer, m, m.Message.(*protocol.LeagueRegisterRequest).Meta)
	a.MessageType = protocol.TypeLeagueRegisterResponse
	return &protocol.LeagueRegisterResponse{Admission: a, PlayerID: &id}, nil
}

func (d *desk) admitReferee(ctx context.Context, m message) (protocol.Message, error) {
	a, id := d.admit(ctx, protocol.RoleReferee, m, m.Message.(*protocol.RefereeRegisterRequest).Meta)
	a.MessageType = protocol.TypeRefereeRegisterResponse
	return &protocol.RefereeRegisterResponse{Admission: a, RefereeID: &id}, nil
}

// admit takes everybody, and grants the id asked for.
func (d *desk) admit(ctx context.Context, role protocol.Role, m message, meta protocol.AgentMeta) (protocol.Admission, string) {
	deaf := d.look(ctx, meta.ContactEndpoint)
	d.mu.Lock()
	defer d.mu.Unlock()
	_, id := protocol.ParseSender(m.Head().Sender)
	if !protocol.ValidID(role, id) {
		id = protocol.AgentID(role, 1)
	}
	d.applied, d.meta, d.id, d.deaf = &m, meta, id, deaf
	d.token = protocol.AgentToken(d.key, league, protocol.Sender(role, id), "", 1)
	select {
	case d.came <- struct{}{}:
	default:
	}
	token, here := d.token, league
	return protocol.Admission{Status: protocol.Accepted, AuthToken: &token, LeagueID: &here, MatchTokens: true}, id
}

// look looks whether somebody listens where an agent says that it does.
func (d *desk) look(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return d.s.node.Alive(ctx, endpoint)
}

// await waits for an agent that registers.
func (d *desk) await(ctx context.Context, s *session) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Wait, fmt.Errorf("no agent has registered with %s within %s; start it with that as its manager", d.url, s.Wait))
	defer cancel()
	select {
	case <-d.came:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.peer.Endpoint, s.role = d.meta.ContactEndpoint, protocol.RolePlayer
	if _, referee := d.applied.Message.(*protocol.RefereeRegisterRequest); referee {
		s.role = protocol.RoleReferee
	}
	if s.Role != "" && s.Role != s.role {
		return fmt.Errorf("a %s has registered, not a %s", s.role, s.Role)
	}
	return nil
}

// registered reports whether the agent is in the checker's league.
func (d *desk) registered() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.id != ""
}

// report takes a result, unless it is to look busy.
func (d *desk) report(_ context.Context, m message) (protocol.Message, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reports = append(d.reports, m)
	if d.busy > 0 {
		d.busy--
		return nil, nil
	}
	h := m.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchResultAck, LeagueID: league, RoundID: h.RoundID, MatchID: h.MatchID},
		Status:   protocol.Accepted,
	}, nil
}

// reported returns the reports of a match.
func (d *desk) reported(match string) (out []message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.reports {
		if m.Head().MatchID == match {
			out = append(out, m)
		}
	}
	return out
}

// managerToken is what the agent's manager shows to it.
func (d *desk) managerToken(t protocol.Type, round protocol.Round) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return protocol.ManagerToken(d.token, league, t, round)
}

// matchToken is what the referee of a match shows to the player that is checked.
func (d *desk) matchToken(match string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return protocol.MatchToken(d.token, league, match, 1, refereeID)
}

// refereeID is what the checker is called when it speaks as a referee.
const refereeID = "REF01"
