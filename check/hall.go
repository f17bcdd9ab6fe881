package check

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A hall is where the referee that is checked meets the checker's own players.
type hall struct {
	s      *session
	guests [2]*guest
}

// A guest is a player of the checker's own.
type guest struct {
	*ear
	id, url, token string

	mu      sync.Mutex
	scripts map[string]*script // by match
	heard   map[string][]message
}

// A script is how a guest behaves in one match.
type script struct {
	declines bool
	silent   bool
	choices  []string                                           // one for each call, the last for all further ones
	before   func(ctx context.Context, call *protocol.Envelope) // called before it chooses
	asked    int
}

// openHall invites the guests.
func (s *session) openHall(ctx context.Context) (*hall, error) {
	h := &hall{s: s}
	for i, id := range []string{"P01", "P02"} {
		g := &guest{id: id, scripts: map[string]*script{}, heard: map[string][]message{}}
		g.token = protocol.AgentToken(s.desk.key, league, protocol.Sender(protocol.RolePlayer, id), "", 1)
		g.ear = &ear{s: s, who: protocol.Sender(protocol.RolePlayer, id), takes: map[protocol.Type]func(context.Context, message) (protocol.Message, error){
			protocol.TypeGameInvitation:    g.invited,
			protocol.TypeChooseParityCall:  g.asked,
			protocol.TypeGameOver:          g.told(protocol.TypeGameOverAck),
			protocol.TypeGameError:         g.told(protocol.TypeGameErrorAck),
			protocol.TypeRoundAnnouncement: g.told(protocol.TypeRoundAnnouncementAck),
			protocol.TypePing:              pong,
		}}
		url, stop, err := g.listen(ctx, 0)
		if err != nil {
			return nil, err
		}
		g.url, h.guests[i] = url, g
		s.closers = append(s.closers, stop)
	}
	return h, nil
}

// plays sets how a guest behaves in a match.
func (g *guest) plays(match string, sc *script) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.scripts[match] = sc
}

func (g *guest) note(m message) *script {
	g.mu.Lock()
	defer g.mu.Unlock()
	match := m.Head().MatchID
	g.heard[match] = append(g.heard[match], m)
	if sc := g.scripts[match]; sc != nil {
		return sc
	}
	return &script{choices: []string{"even"}}
}

func (g *guest) answer(t protocol.Type, m message) protocol.Envelope {
	h := m.Head()
	return protocol.Envelope{MessageType: t, AuthToken: h.AuthToken, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID}
}

func (g *guest) invited(ctx context.Context, m message) (protocol.Message, error) {
	sc := g.note(m)
	if sc.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	yes := !sc.declines
	return &protocol.GameJoinAck{Envelope: g.answer(protocol.TypeGameJoinAck, m), PlayerID: g.id, ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &yes}, nil
}

func (g *guest) asked(ctx context.Context, m message) (protocol.Message, error) {
	sc := g.note(m)
	if sc.before != nil {
		sc.before(ctx, m.Head())
	}
	g.mu.Lock()
	choice, _ := json.Marshal(sc.choices[min(sc.asked, len(sc.choices)-1)])
	sc.asked++
	g.mu.Unlock()
	return &protocol.ChooseParityResponse{Envelope: g.answer(protocol.TypeChooseParityResponse, m), PlayerID: g.id, ParityChoice: choice, Choice: choice}, nil
}

func (g *guest) told(t protocol.Type) func(context.Context, message) (protocol.Message, error) {
	return func(_ context.Context, m message) (protocol.Message, error) {
		g.note(m)
		return &protocol.Ack{Envelope: g.answer(t, m), Status: protocol.Acknowledged, PlayerID: g.id}, nil
	}
}

// got returns the messages of a type that a guest has had in a match.
func (g *guest) got(match string, t protocol.Type) (out []message) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.heard[match] {
		if m.Head().MessageType == t {
			out = append(out, m)
		}
	}
	return out
}

// waitFor waits until a condition holds and reports whether it does.
func (s *session) waitFor(ctx context.Context, limit time.Duration, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !ok() {
		if s.node.Sleep(ctx, "", 10*time.Millisecond) != nil {
			return ok()
		}
	}
	return true
}

// deadEnd returns an endpoint at which nobody listens.
func deadEnd() string {
	server, err := rpc.Listen(0)
	if err != nil {
		return "http://localhost:1/mcp"
	}
	defer server.Close()
	return server.URL()
}

// hasWord reports whether a text holds one of the words as a JSON text.
func hasWord(text []byte, words ...string) bool {
	for _, w := range words {
		if strings.Contains(string(text), `"`+w+`"`) {
			return true
		}
	}
	return false
}
