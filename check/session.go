package check

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A session is one check of one agent.
type session struct {
	Options
	memo
	wire    *wire
	log     *transcript
	node    *rpc.Node
	role    protocol.Role
	agent   string       // its sender
	manager *fakeManager // the checker's own
	met     *rpc.Meeting // of a player that is a real MCP server

	requests  atomic.Int64 // written here and not by the node
	callsBack atomic.Bool  // it is a player that answers by callbacks
	mu        sync.Mutex
	closers   []func()
}

// newSession returns the session of a check. A strict check always uses the canonical dialect. Redirects are not
// followed, because no agent of a league follows them.
func newSession(endpoint string, o Options) *session {
	s := &session{Options: o, log: &transcript{}, memo: memo{values: map[string]any{}}}
	s.wire = &wire{peer: rpc.Peer{Endpoint: endpoint}, network: recorder{networkFor(o), s.log.note}, patience: o.Patience,
		strict: o.Strict}
	if o.Strict {
		s.wire.peer.Dialect = protocol.Canonical
	}
	s.wire.client = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.node = rpc.NewNode(protocol.Manager, rpc.Options{Network: s.wire.network})
	return s
}

// networkFor returns the network of a check, with the credentials of the options if there are any.
func networkFor(o Options) *rpc.HTTP {
	if o.Credentials.IsZero() {
		return rpc.NewHTTP(1 << 20)
	}
	given := func(string) rpc.Credentials { return o.Credentials }
	own, _ := rpc.NewNode(protocol.Manager, rpc.Options{MaxBody: 1 << 20, Credentials: given}).Network.(*rpc.HTTP)
	return own
}

// A memo caches values that several steps need. It is safe for concurrent use.
type memo struct {
	memoMu sync.Mutex
	values map[string]any // functions, see once
}

// once returns the cached value of that name. The first call computes it with f; concurrent calls wait.
func once[T any](m *memo, name string, f func() T) T {
	m.memoMu.Lock()
	compute, ok := m.values[name].(func() T)
	if !ok {
		compute = sync.OnceValue(f)
		m.values[name] = compute
	}
	m.memoMu.Unlock()
	return compute()
}

// begun reports whether the value of that name is computed or being computed.
func (m *memo) begun(name string) bool {
	m.memoMu.Lock()
	defer m.memoMu.Unlock()
	return m.values[name] != nil
}

// call sends a message to the agent as sender, in the agent's dialect, and records the answer. The exchange in the
// reply does not include the time spent on learning the dialect.
func (s *session) call(ctx context.Context, sender string, m protocol.Message) reply {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	ctx, cancel := context.WithTimeout(ctx, s.limit(spec.Type)+s.Grace)
	defer cancel()
	t := &tape{}
	s.node.SetSender(sender)
	out, err := s.node.Call(context.WithValue(ctx, tapeKey{}, t), s.wire.peer, m)
	return s.log.record(m.Head(), spec, reply{Message: out, err: err, x: t.evidence(err)})
}

// send sends a message with mutations, in the form that the agent understands. For an MCP server the reply's error is
// errNotFramed.
func (s *session) send(ctx context.Context, sender string, m protocol.Message, mutations ...mutation) reply {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	h := m.Head()
	h.Protocol, h.Sender, h.Timestamp = protocol.Version, sender, protocol.Stamp(time.Now())
	row, form := s.form(spec.Type)
	if form.Frame == "mcp" {
		return reply{err: errNotFramed}
	}
	body, err := dialect.Frame(row, form, m, 1000+s.requests.Add(1)) // the node counts from 1
	if err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit(spec.Type)+s.Grace)
	defer cancel()
	t := &tape{}
	body, wrong := mutated(body, mutations)
	status, got, err := s.wire.network.Post(context.WithValue(ctx, tapeKey{}, t), s.wire.page(form.Path),
		string(spec.Type), body)
	r := reply{err: err, x: t.last(), wrong: wrong}
	if err == nil {
		reading := protocol.Reading{Now: time.Now(), Conversation: h.ConversationID}
		r.Message, _, r.err = dialect.Unframe(status, got, spec.Reply, reading)
	}
	return s.log.record(h, spec, r)
}

// form returns the agent's dialect and the form in which it accepts messages of type t.
func (s *session) form(t protocol.Type) (row string, form notation.Form) {
	if s.Strict {
		return "", notation.Form{}
	}
	d, err := notation.Parse(s.node.Dialect(s.wire.peer))
	if err != nil {
		return "", notation.Form{}
	}
	form, known := d.Forms[t]
	if !known || form.Frame == notation.Ignored.Frame || form.Frame == notation.Polled.Frame {
		form = dialect.Candidates(d, t)[0]
	}
	return d.Row, form
}

// limit returns the timeout for the answer to a message of type t.
func (s *session) limit(t protocol.Type) time.Duration {
	if d, ok := s.Deadlines[t]; ok {
		return d
	}
	spec, _ := protocol.Lookup(t)
	return spec.Deadline
}

// late returns a finding with the delay if an answer exceeded its limit, and otherwise a pass.
func (s *session) late(t protocol.Type, x *exchange) finding {
	if x != nil && x.elapsed > s.limit(t) {
		return fail("the answer to %s took %s; the limit is %s", t, x.elapsed.Round(10*time.Millisecond), s.limit(t)).in(x)
	}
	return pass
}

// tool returns the MCP tool that is called for a message of type t, or "".
func (s *session) tool(t protocol.Type) string {
	for _, u := range s.met.Calls {
		if u.Message == t {
			return u.Tool
		}
	}
	return ""
}

// atEnd calls stop when the check ends.
func (s *session) atEnd(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, stop)
}

// match returns the id of the n-th match in a round of the check.
func (s *session) match(round, n int) string { return protocol.MatchID(s.FirstRound-1+round, n) }

// matchNamed is [session.match] with the round and number as the arguments of a script.
func (s *session) matchNamed(args []string) string {
	round, _ := strconv.Atoi(args[0])
	n, _ := strconv.Atoi(args[1])
	return s.match(round, n)
}

// head is an envelope in a new conversation.
func (s *session) head(t protocol.Type, about string) protocol.Envelope {
	return protocol.Envelope{MessageType: t, ConversationID: "conv-check-" + about + "-" + s.node.Nonce(4)}
}

// waitFor polls ok up to limit and returns its last result.
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

// inform sends the agent a message of its manager, and judges the acknowledgement of type t.
func (s *session) inform(ctx context.Context, m protocol.Message, t protocol.Type) finding {
	s.address(m, t)
	return s.acknowledged(t, s.call(ctx, asManager, m))
}

// address completes a message of the manager.
func (s *session) address(m protocol.Message, t protocol.Type) {
	h := m.Head()
	*h = s.head(t, "news")
	h.LeagueID = league
	if t != protocol.TypeLeagueCompleted {
		h.RoundID = 1
	}
	h.AuthToken = s.manager.tokenFor(t, h.RoundID)
}

// endLeague announces the end of the league. The agent may exit after that, so it is sent only to an agent that is
// registered with the checker alone.
func (s *session) endLeague(ctx context.Context, m *protocol.LeagueCompleted) finding {
	if !s.manager.registered() {
		return skip("%s", hinted("it could stop an agent that is not registered with the checker", s.Hints.Listen))
	}
	m.TotalRounds, m.TotalMatches = 1, 1
	m.Champion.DisplayName, m.Champion.Points = "Check", 3
	return s.inform(ctx, m, protocol.TypeLeagueCompleted)
}

// acknowledged judges an answer that only acknowledges a message. Any answer suffices to play; one that differs from
// the specification is reported.
func (s *session) acknowledged(t protocol.Type, r reply) finding {
	spec, _ := protocol.Lookup(t)
	var no *protocol.Refusal
	switch {
	case errors.As(r.err, &no) && (dialect.BlameOf(no) == dialect.BlameForm || no.Code == protocol.MethodNotFound):
		return differ("it does not accept %s", t).in(r.x)
	case errors.As(r.err, &no) && t != protocol.TypeGameOver: // a match goes on without it
		return differ("%s", answered(r).detail).in(r.x)
	case r.err != nil:
		return answered(r)
	case r.Message == nil:
		return differ("want a %s as the answer", spec.Reply).in(r.x)
	}
	f := first(s.late(t, r.x), complete(spec.Reply, r.Head().Source()))
	if ack, ok := r.Message.(*protocol.Ack); ok && f.level == passes && ack.Status != protocol.Acknowledged {
		f = differ("want status %s, got %q", protocol.Acknowledged, ack.Status)
	}
	return f.in(r.x)
}

// fakePlayers returns the players of the checker. The first call starts them.
func (s *session) fakePlayers(ctx context.Context) (*fakePlayers, error) {
	type opened struct {
		all *fakePlayers
		err error
	}
	o := once(&s.memo, "players", func() opened {
		all, stop, err := openPlayers(context.WithoutCancel(ctx), s.manager.key, s.log.receive)
		if err == nil {
			s.atEnd(stop)
		}
		return opened{all, err}
	})
	return o.all, o.err
}

// A judge takes one step.
type judge func(ctx context.Context, s *session) finding

// of converts the judges of one role, which take a typed session, to judges of a plain session.
func of[T ~struct{ *session }](judges map[string]func(context.Context, T) finding) map[string]judge {
	all := map[string]judge{}
	for id, f := range judges {
		all[id] = func(ctx context.Context, s *session) finding { return f(ctx, T(struct{ *session }{s})) }
	}
	return all
}
