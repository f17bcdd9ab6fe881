package check

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"agentleague/protocol"
)

// fakePlayers are the two players that the checker plays, P01 and P02, for matches of the referee under test.
type fakePlayers struct{ players [2]*fakePlayer }

// A fakePlayer is a player of the checker's own.
type fakePlayer struct {
	*fakeAgent
	id, url, token string

	mu         sync.Mutex
	behaviours map[string]*behaviour // by match
	inbox      map[string][]message  // by match
}

// A behaviour is how a fake player behaves in one match.
type behaviour struct {
	declines bool
	silent   bool
	choices  []string                                           // one for each call, the last for all further ones
	before   func(ctx context.Context, call *protocol.Envelope) // called before it chooses
	asked    int
}

// openPlayers serves both players, which accept messages of the manager with the given key, and passes every message to
// received. Stop closes them.
func openPlayers(ctx context.Context, key []byte, received func(message)) (all *fakePlayers, stop func(), err error) {
	all = &fakePlayers{}
	var stops []func()
	stop = func() {
		for _, end := range stops {
			end()
		}
	}
	for i, id := range []string{"P01", "P02"} {
		p := &fakePlayer{id: id, behaviours: map[string]*behaviour{}, inbox: map[string][]message{}}
		p.token = protocol.Ticket(key, league, protocol.Sender(protocol.RolePlayer, id), 1)
		p.fakeAgent = &fakeAgent{received: received, who: protocol.Sender(protocol.RolePlayer, id), handlers: map[protocol.Type]handler{
			protocol.TypeGameInvitation:    p.invited,
			protocol.TypeChooseParityCall:  p.asked,
			protocol.TypeGameOver:          p.acknowledge(protocol.TypeGameOverAck),
			protocol.TypeGameError:         p.acknowledge(protocol.TypeGameErrorAck),
			protocol.TypeRoundAnnouncement: p.acknowledge(protocol.TypeRoundAnnouncementAck),
			protocol.TypePing:              pong,
		}}
		url, end, err := p.listen(ctx, 0)
		if err != nil {
			stop()
			return nil, nil, err
		}
		p.url, all.players[i] = url, p
		stops = append(stops, end)
	}
	return all, stop, nil
}

// plays sets how the player behaves in a match.
func (p *fakePlayer) plays(match string, sc *behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviours[match] = sc
}

// note stores a message and returns the player's behaviour in its match. The default is to choose even at once.
func (p *fakePlayer) note(m message) *behaviour {
	p.mu.Lock()
	defer p.mu.Unlock()
	match := m.Head().MatchID
	p.inbox[match] = append(p.inbox[match], m)
	if sc := p.behaviours[match]; sc != nil {
		return sc
	}
	return &behaviour{choices: []string{"even"}}
}

// answer returns the envelope of an answer to m. It repeats the token of m, which a referee presents to each player.
func (p *fakePlayer) answer(t protocol.Type, m message) protocol.Envelope {
	h := m.Head()
	return protocol.Envelope{MessageType: t, AuthToken: h.AuthToken, LeagueID: h.LeagueID, RoundID: h.RoundID,
		MatchID: h.MatchID}
}

// invited joins or declines as the behaviour states, or gives no answer until ctx ends.
func (p *fakePlayer) invited(ctx context.Context, m message) (protocol.Message, error) {
	sc := p.note(m)
	if sc.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	yes := !sc.declines
	return &protocol.GameJoinAck{Envelope: p.answer(protocol.TypeGameJoinAck, m), PlayerID: p.id,
		ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &yes}, nil
}

// asked answers with the next choice of the behaviour. After the last choice it repeats that, because a referee may ask
// any number of times.
func (p *fakePlayer) asked(ctx context.Context, m message) (protocol.Message, error) {
	sc := p.note(m)
	if sc.before != nil {
		sc.before(ctx, m.Head())
	}
	p.mu.Lock()
	choice, _ := json.Marshal(sc.choices[min(sc.asked, len(sc.choices)-1)])
	sc.asked++
	p.mu.Unlock()
	return &protocol.ChooseParityResponse{Envelope: p.answer(protocol.TypeChooseParityResponse, m), PlayerID: p.id,
		ParityChoice: choice, Choice: choice}, nil
}

// acknowledge acknowledges messages of any kind.
func (p *fakePlayer) acknowledge(t protocol.Type) handler {
	return func(_ context.Context, m message) (protocol.Message, error) {
		p.note(m)
		return &protocol.Ack{Envelope: p.answer(t, m), Status: protocol.Acknowledged, PlayerID: p.id}, nil
	}
}

// got returns the messages of type t that the player received in a match.
func (p *fakePlayer) got(match string, t protocol.Type) (out []message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.inbox[match] {
		if m.Head().MessageType == t {
			out = append(out, m)
		}
	}
	return out
}
