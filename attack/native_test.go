package attack_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

// A nativeAgent is a native agent in this process: a test reads its messages and decides when it answers.
type nativeAgent struct {
	url  string
	stop func() // ends it, as a kill does

	mu    sync.Mutex
	heard []protocol.Message
	gate  chan struct{}
}

// observe stores a received message.
func (n *nativeAgent) observe(m rpc.Message) {
	if m.Message == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = append(n.heard, m.Message)
}

// newest returns the newest received message of a type, or nil.
func (n *nativeAgent) newest(t protocol.Type) (found protocol.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.heard {
		if m.Head().MessageType == t {
			found = m
		}
	}
	return found
}

// heardEnd reports whether the end of a match was received.
func (n *nativeAgent) heardEnd(match string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.heard {
		if m.Head().MessageType == protocol.TypeGameOver && m.Head().MatchID == match {
			return true
		}
	}
	return false
}

// await waits for a message of a type.
func (n *nativeAgent) await(t testing.TB, kind protocol.Type) protocol.Message {
	t.Helper()
	rpctest.Eventually(t, string(kind)+" comes", func() bool { return n.newest(kind) != nil })
	return n.newest(kind)
}

func (n *nativeAgent) options(a *arena) rpc.Options {
	return rpc.Options{Strict: a.strict, Observe: n.observe}
}

// serve lets an agent listen until the test ends.
func (n *nativeAgent) serve(t testing.TB, agent http.Handler) context.Context {
	t.Helper()
	return n.serveAt(t, 0, agent)
}

func (n *nativeAgent) serveAt(t testing.TB, port int, agent http.Handler) context.Context {
	t.Helper()
	s, err := rpc.Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	n.url = s.URL()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, agent) }()
	n.stop = sync.OnceFunc(func() { stop(); <-ended })
	t.Cleanup(n.stop)
	return ctx
}

// A seated player is a native one of ours that always makes the same choice, and waits with it while it is held.
type seated struct {
	nativeAgent
	*player.Agent
	ctx        context.Context
	invitation string // the M of its first invitation, once it was asked
	kept       native.Identity
}

// seat registers a native player that chooses always the same.
func (a *arena) seat(name, choice string, held bool) *seated {
	a.t.Helper()
	return a.seatWith(name, choice, held, nil)
}

// seatWith is like seat, for a player with custom handlers.
func (a *arena) seatWith(name, choice string, held bool, furnish func(*rpc.Node)) *seated {
	a.t.Helper()
	p, err := a.applies(name, choice, player.Options{}, furnish)
	if err != nil {
		a.t.Fatal(err)
	}
	if !held {
		close(p.gate)
	}
	return p
}

// applies has a native player that chooses always the same ask for a place. It waits with its choices until its gate is
// closed.
func (a *arena) applies(name, choice string, o player.Options, furnish func(*rpc.Node)) (*seated, error) {
	a.t.Helper()
	p := a.newSeat(name, choice, o)
	if furnish != nil {
		furnish(p.Node)
	}
	return p, p.enters(a, p.Node)
}

// again is the same native player in a new process, which has not asked for a place yet.
func (s *seated) again(a *arena, name, choice string) *seated {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := a.newSeat(name, choice, player.Options{Identity: s.kept})
	close(p.gate)
	return p
}

// newSeat makes a native player that has not asked for a place yet.
func (a *arena) newSeat(name, choice string, o player.Options) *seated {
	p := &seated{nativeAgent: nativeAgent{gate: make(chan struct{})}}
	mind := player.StrategyFunc(func(ctx context.Context, _ game.View) (game.Move, error) {
		select {
		case <-p.gate:
			return game.Move(`"` + choice + `"`), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	o.Options = p.options(a)
	o.KeepIdentity = func(now native.Identity) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.kept = now
		return nil
	}
	p.Agent = player.New(name, mind, o)
	return p
}

// enters serves a player behind a door, and has it ask for a place.
func (s *seated) enters(a *arena, door http.Handler) error {
	a.t.Helper()
	s.ctx = s.serve(a.t, door)
	return s.Register(s.ctx, a.url, s.url)
}

// A judge is a native referee of ours in this process.
type judge struct {
	nativeAgent
	*referee.Referee
	ctx context.Context
}

// judge creates a native referee. The function what may change it before it listens.
func (a *arena) judge(name string, o referee.Options, what func(*judge)) *judge {
	a.t.Helper()
	j := &judge{}
	o.Options = j.options(a)
	o.Policy = referee.Policy{MaxRetries: 1}
	ctx, stop := context.WithCancel(context.WithoutCancel(a.t.Context()))
	j.Referee = referee.New(ctx, name, catalog.Lookup, o)
	if what != nil {
		what(j)
	}
	j.ctx = j.serve(a.t, j.Referee.Node)
	a.t.Cleanup(func() { stop(); j.Referee.Wait() })
	return j
}

// enter registers a referee and returns the manager's answer.
func (j *judge) enter(a *arena) (out answer) {
	a.t.Helper()
	err := j.Register(j.ctx, a.url, j.url)
	if r, ok := j.newest(protocol.TypeRefereeRegisterResponse).(*protocol.RefereeRegisterResponse); ok {
		out.Status, out.Code, out.Readmit = r.Status, r.ErrorCode, r.ReadmitCode
		if r.AuthToken != nil && !strings.HasPrefix(*r.AuthToken, "tok_manager_") {
			out.Token = *r.AuthToken
		}
	} else if err == nil {
		err = errors.New("no answer was seen")
	}
	if err != nil {
		out.text = err.Error()
	}
	return out
}
