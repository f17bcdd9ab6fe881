package check

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A refereeCheck is a session with a referee: the checker is its manager, and both players.
type refereeCheck struct{ *session }

// A fixture is one match that the referee was ordered to play, with all its messages.
type fixture struct {
	id      string
	order   *protocol.StartMatch
	key     []byte
	start   reply
	a, b    *fakePlayer
	manager *fakeManager

	together bool // the second player was asked while the first had not answered
	state    reply
}

// order is a START_MATCH for a match between the fake players.
func (s refereeCheck) order(h *fakePlayers, match string) (*protocol.StartMatch, []byte) {
	key := protocol.DrawKey(s.manager.key, league, match, "", "")
	round, _, _ := protocol.ParseMatchID(match)
	contender := func(g *fakePlayer) protocol.Contender {
		return protocol.Contender{
			ID: g.id, Endpoint: g.url, Dialect: protocol.Canonical, State: protocol.AgentActive,
			RegisteredAt: protocol.Stamp(time.Now()),
			Token:        protocol.MatchToken(g.token, league, match, 1, s.refereeID()),
		}
	}
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, ConversationID: s.conversation("start"),
			AuthToken: s.managerToken(protocol.TypeStartMatch, protocol.Round(round)),
			LeagueID:  league, RoundID: protocol.Round(round), MatchID: match,
		},
		GameType: "even_odd", PlayerA: contender(h.players[0]), PlayerB: contender(h.players[1]), Attempt: 1,
		DrawKey: hex.EncodeToString(key), ReportTo: s.manager.url, RefereeID: s.refereeID(), RefereeEndpoint: s.peer.Endpoint,
	}, key
}

// refereeID is how the referee that is checked is called.
func (s refereeCheck) refereeID() string {
	if s.manager.registered() {
		return s.manager.granted()
	}
	if role, id := protocol.ParseSender(s.agent); role == protocol.RoleReferee && id != "" {
		return id
	}
	return "REF01"
}

// play asks the referee for a match and waits until it is reported.
func (s refereeCheck) play(ctx context.Context, h *fakePlayers, match string, limit time.Duration, a, b *script,
	edit func(*protocol.StartMatch)) *fixture {
	f := &fixture{id: match, a: h.players[0], b: h.players[1], manager: s.manager}
	f.a.plays(match, a)
	f.b.plays(match, b)
	f.order, f.key = s.order(h, match)
	if edit != nil {
		edit(f.order)
	}
	if f.start = s.begin(ctx, f.order); f.start.err != nil {
		return f
	}
	s.waitFor(ctx, limit, func() bool { return len(f.reports()) > 0 })
	s.waitFor(ctx, s.Patience/5,
		func() bool { return (f.told(f.a) || f.order.PlayerA.Endpoint != f.a.url) && f.told(f.b) })
	return f
}

// begin orders a match, again while the referee is busy.
func (s refereeCheck) begin(ctx context.Context, order *protocol.StartMatch) (r reply) {
	s.waitFor(ctx, s.Patience, func() bool {
		copied := *order
		r = s.call(ctx, asManager, &copied)
		ack, ok := r.Message.(*protocol.StartMatchAck)
		return !ok || ack.Status != protocol.Busy
	})
	return r
}

func (f *fixture) reports() []message      { return f.manager.reported(f.id) }
func (f *fixture) told(g *fakePlayer) bool { return len(g.got(f.id, protocol.TypeGameOver)) > 0 }
func (f *fixture) players() []*fakePlayer  { return []*fakePlayer{f.a, f.b} }

// over is the GAME_OVER that a player got first, nil if it has got none.
func (f *fixture) over(g *fakePlayer) *protocol.GameOver {
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

// fair plays the first match. Player A answers when player B has been asked too, and player B when the referee has
// returned the state of the match.
func (s refereeCheck) fair(ctx context.Context) *fixture {
	return once(s.session, "fair", func() *fixture {
		h, err := s.fakePlayers(ctx)
		if err != nil {
			return &fixture{start: reply{err: err}, manager: s.manager}
		}
		var mu sync.Mutex // a player may still be thinking when the match is given up
		var together bool
		var state reply
		answered := make(chan struct{})
		answer := sync.OnceFunc(func() { close(answered) })
		b := h.players[1]
		first := &script{choices: []string{"even"}, before: func(ctx context.Context, h *protocol.Envelope) {
			asked := s.waitFor(ctx, s.Patience/2,
				func() bool { return len(b.got(h.MatchID, protocol.TypeChooseParityCall)) > 0 })
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
		f := s.play(ctx, h, s.match(1, 1), 2*s.Patience, first, second, nil)
		mu.Lock()
		defer mu.Unlock()
		f.together, f.state = together, state
		return f
	})
}

// stateOf asks a referee for the state of a match.
func (s refereeCheck) stateOf(match string) *protocol.Tool {
	return &protocol.Tool{Envelope: protocol.Envelope{
		MessageType: protocol.TypeGetMatchState, ConversationID: s.conversation("state"), LeagueID: league, RoundID: 1,
		MatchID: match,
	}}
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

// deadEnd is an endpoint at which no server listens. A port that was free a moment ago may be reassigned; this one is
// never assigned.
const deadEnd = "http://localhost:1/mcp"

// hasWord reports whether a text holds one of the words as a JSON text.
func hasWord(text []byte, words ...string) bool {
	for _, w := range words {
		if strings.Contains(string(text), `"`+w+`"`) {
			return true
		}
	}
	return false
}

// enlist asks a referee that is registered nowhere to register with the checker.
func (s refereeCheck) enlist(ctx context.Context) reply {
	return once(s.session, "enlist", func() reply {
		m := &protocol.RegisterToLeague{
			Envelope: protocol.Envelope{MessageType: protocol.TypeRegisterToLeague,
				ConversationID: s.conversation("register")},
			LeagueEndpoint: s.manager.url,
		}
		own := s.peer
		s.peer = rpc.Peer{Endpoint: own.Endpoint, Dialect: protocol.Canonical}
		defer func() { s.peer = own }()
		return s.call(ctx, asManager, m)
	})
}

// unengaged returns why a referee refuses the checker's orders, if it has another manager.
func (s refereeCheck) unengaged(r reply) finding {
	no, ok := r.err.(*protocol.Refusal)
	if !ok || s.manager.registered() {
		return pass
	}
	for _, k := range []*protocol.Kind{protocol.AuthTokenInvalid, protocol.AuthTokenMissing,
		protocol.RefereeNotRegistered} {
		if no.Name == k.Name {
			return skip("%s", hinted("it accepts orders only from the manager that it is registered with", s.Hints.Restart))
		}
	}
	return pass
}

// played returns the first match, or why there is nothing to judge in it.
func (s refereeCheck) played(ctx context.Context) (*fixture, finding) {
	s.enlist(ctx)
	f := s.fair(ctx)
	if why := s.unengaged(f.start); why.level != passes {
		return f, why
	}
	if f.start.err != nil || f.a == nil {
		return f, skip("it does not accept a match")
	}
	if len(f.a.got(f.id, protocol.TypeGameInvitation)) == 0 || len(f.b.got(f.id, protocol.TypeGameInvitation)) == 0 {
		return f, skip("it does not invite the players")
	}
	return f, pass
}

// missingOf names the players that have not had a message.
func missingOf(f *fixture, t protocol.Type) (names string) {
	for _, g := range f.players() {
		if len(g.got(f.id, t)) == 0 {
			names += " " + g.id
		}
	}
	return names
}

// overBoth judges the first message of a type that each player had.
func (s refereeCheck) overBoth(ctx context.Context, t protocol.Type,
	judge func(f *fixture, g *fakePlayer, m message) finding) finding {
	f, why := s.played(ctx)
	if why.level != passes {
		return why
	}
	for _, g := range f.players() {
		all := g.got(f.id, t)
		if len(all) == 0 {
			return skip("no %s arrived", t)
		}
		if found := judge(f, g, all[0]); found.level != passes {
			return found.in(all[0].exchange)
		}
	}
	return pass.in(f.a.got(f.id, t)[0].exchange)
}
