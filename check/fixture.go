package check

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"

	"agentleague/protocol"
)

// A fixture is one match that the referee was asked to play, and all that was heard of it.
type fixture struct {
	id    string
	order *protocol.StartMatch
	key   []byte
	start reply
	a, b  *guest
	desk  *desk

	together bool // the second player was asked while the first had not answered
	state    reply
}

// order is a START_MATCH for a match between the guests.
func (h *hall) order(match string) (*protocol.StartMatch, []byte) {
	key := protocol.DrawKey(h.s.desk.key, league, match, "", "")
	round, _, _ := protocol.ParseMatchID(match)
	contender := func(g *guest) protocol.Contender {
		return protocol.Contender{
			ID: g.id, Endpoint: g.url, Dialect: protocol.Canonical, State: protocol.AgentActive, RegisteredAt: protocol.Stamp(time.Now()),
			Token: protocol.MatchToken(g.token, league, match, 1, h.s.refereeID()),
		}
	}
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, ConversationID: h.s.conversation("start"), AuthToken: h.s.managerToken(protocol.TypeStartMatch, protocol.Round(round)),
			LeagueID: league, RoundID: protocol.Round(round), MatchID: match,
		},
		GameType: "even_odd", PlayerA: contender(h.guests[0]), PlayerB: contender(h.guests[1]), Attempt: 1,
		DrawKey: hex.EncodeToString(key), ReportTo: h.s.desk.url, RefereeID: h.s.refereeID(), RefereeEndpoint: h.s.peer.Endpoint,
	}, key
}

// refereeID is how the referee that is checked is called.
func (s *session) refereeID() string {
	if s.desk.registered() {
		return s.desk.id
	}
	if role, id := protocol.ParseSender(s.agent); role == protocol.RoleReferee && id != "" {
		return id
	}
	return "REF01"
}

// play asks the referee for a match and waits until it is reported.
func (h *hall) play(ctx context.Context, match string, limit time.Duration, a, b *script, edit func(*protocol.StartMatch)) *fixture {
	f := &fixture{id: match, a: h.guests[0], b: h.guests[1], desk: h.s.desk}
	f.a.plays(match, a)
	f.b.plays(match, b)
	f.order, f.key = h.order(match)
	if edit != nil {
		edit(f.order)
	}
	if f.start = h.begin(ctx, f.order); f.start.err != nil {
		return f
	}
	h.s.waitFor(ctx, limit, func() bool { return len(f.reports()) > 0 })
	h.s.waitFor(ctx, h.s.Patience/5, func() bool { return (f.told(f.a) || f.order.PlayerA.Endpoint != f.a.url) && f.told(f.b) })
	return f
}

// begin orders a match, again while the referee is busy.
func (h *hall) begin(ctx context.Context, order *protocol.StartMatch) (r reply) {
	h.s.waitFor(ctx, h.s.Patience, func() bool {
		copied := *order
		r = h.s.call(ctx, asManager, &copied)
		ack, ok := r.Message.(*protocol.StartMatchAck)
		return !ok || ack.Status != protocol.Busy
	})
	return r
}

func (f *fixture) reports() []message { return f.desk.reported(f.id) }
func (f *fixture) told(g *guest) bool { return len(g.got(f.id, protocol.TypeGameOver)) > 0 }
func (f *fixture) guests() []*guest   { return []*guest{f.a, f.b} }
func (f *fixture) over(g *guest) *protocol.GameOver {
	if all := g.got(f.id, protocol.TypeGameOver); len(all) > 0 {
		return all[0].Message.(*protocol.GameOver)
	}
	return nil
}

// report is the first report of the match, or nil.
func (f *fixture) report() *protocol.MatchResultReport {
	if all := f.reports(); len(all) > 0 {
		return all[0].Message.(*protocol.MatchResultReport)
	}
	return nil
}

// fair plays the first match. Player A answers when player B has been asked
// too, and player B when the referee has told the state of the match.
func (s *session) fair(ctx context.Context) *fixture {
	return once(s, "fair", func() *fixture {
		h, err := s.hall(ctx)
		if err != nil {
			return &fixture{start: reply{err: err}, desk: s.desk}
		}
		var mu sync.Mutex // a guest may still be thinking when the match is given up
		var together bool
		var state reply
		answered := make(chan struct{})
		answer := sync.OnceFunc(func() { close(answered) })
		b := h.guests[1]
		first := &script{choices: []string{"even"}, before: func(ctx context.Context, h *protocol.Envelope) {
			asked := s.waitFor(ctx, s.Patience/2, func() bool { return len(b.got(h.MatchID, protocol.TypeChooseParityCall)) > 0 })
			mu.Lock()
			defer mu.Unlock()
			together = asked
			answer()
		}}
		second := &script{choices: []string{"odd"}, before: func(ctx context.Context, h *protocol.Envelope) {
			select {
			case <-answered:
			case <-ctx.Done():
			}
			_ = s.node.Sleep(ctx, "", 50*time.Millisecond) // the first answer arrives
			told := s.call(ctx, asManager, s.stateOf(h.MatchID))
			mu.Lock()
			defer mu.Unlock()
			state = told
		}}
		f := h.play(ctx, s.match(1, 1), 2*s.Patience, first, second, nil)
		mu.Lock()
		defer mu.Unlock()
		f.together, f.state = together, state
		return f
	})
}

func (s *session) stateOf(match string) *protocol.Tool {
	return &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypeGetMatchState, ConversationID: s.conversation("state"), LeagueID: league, RoundID: 1, MatchID: match,
	}}
}

// hall returns the guests, who come when they are first needed.
func (s *session) hall(ctx context.Context) (*hall, error) {
	type opened struct {
		h   *hall
		err error
	}
	o := once(s, "hall", func() opened {
		h, err := s.openHall(context.WithoutCancel(ctx))
		return opened{h, err}
	})
	return o.h, o.err
}

// drawn is the number from 1 to 10 that follows from a key.
func drawn(key []byte) int {
	const n = 10
	for block := uint32(0); ; block++ {
		mac := hmac.New(sha256.New, key)
		_ = binary.Write(mac, binary.BigEndian, block)
		for sum := mac.Sum(nil); len(sum) > 0; sum = sum[8:] {
			if w := binary.BigEndian.Uint64(sum); w < (1<<64-1)/n*n {
				return int(1 + w%n)
			}
		}
	}
}
