package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A session is one check of one agent: its address, its dialect, and all its messages so far.
type session struct {
	Options
	peer    rpc.Peer
	role    protocol.Role
	agent   string        // its sender name
	says    protocol.Role // its role as stated in third-party words
	node    *rpc.Node
	network recorder
	client  *http.Client
	path    string       // its path, if it differs from the given one
	manager *fakeManager // the checker's own
	met     *rpc.Meeting // of a player that is a real MCP server

	mu      sync.Mutex
	current *exchange      // the newest
	answers []answer       // all that held a message
	errors  []refused      // all that were errors
	heard   []message      // the messages that it sent on its own initiative
	called  []*exchange    // of its tools
	shared  map[string]any // functions, see once
	id      int64
	closers []func()

	callsBack bool // it is a player that answers by callbacks
	deaf      int  // the port at which the checker could not listen for callbacks; 0: none
}

// newSession begins a check. A strict one never finds out how the agent wants to be spoken to; redirects are an
// answer like any other, because no agent of the league follows them.
func newSession(endpoint string, o Options) *session {
	s := &session{Options: o, peer: rpc.Peer{Endpoint: endpoint}, shared: map[string]any{}}
	if o.Strict {
		s.peer.Dialect = protocol.Canonical
	}
	s.network = recorder{networkFor(o), s.note}
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.node = rpc.NewNode(protocol.Manager, rpc.Options{Network: s.network})
	return s
}

// call sends a message to the agent as sender, in the agent's dialect, and records its answer. The time for learning
// the dialect does not count as the agent's.
func (s *session) call(ctx context.Context, sender string, m protocol.Message) reply {
	spec, _ := protocol.Lookup(m.Head().MessageType)
	limit := s.limit(spec.Type) + s.Grace
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t := &tape{}
	ctx = context.WithValue(ctx, tapeKey{}, t)
	s.node.SetSender(sender)
	out, err := s.node.Call(ctx, s.peer, m)
	return s.took(m.Head(), spec, reply{Message: out, err: err, x: evidence(t.exchanges, err)})
}

// evidence returns the exchange that shows the end of a call. If the agent refused the message in several forms, that
// is the exchange of the reported error, not the last one.
func evidence(all []*exchange, err error) *exchange {
	var no *protocol.Refusal
	if !errors.As(err, &no) || no.HTTPStatus == 0 {
		return last(all)
	}
	said := []byte(no.Said[:min(len(no.Said), 200)])
	shows := func(x *exchange) bool { return x.status == no.HTTPStatus && bytes.Contains(x.got, said) }
	alike := func(x *exchange) bool { return x.status == no.HTTPStatus && bytes.Contains(x.sent, []byte(no.Asked)) }
	for _, fits := range []func(*exchange) bool{shows, alike} { // the same error may come in other words each time
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i]
		}
	}
	return last(all)
}

// took records the outcome of a call.
func (s *session) took(asked *protocol.Envelope, spec protocol.Spec, r reply) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.sent = spec.Type
	if r.Message != nil && r.Message.Head().Source() != nil && r.x != nil {
		s.answers = append(s.answers, answer{r.x, asked, spec.Reply, r.Message.Head().Source()})
	}
	if no, ok := r.err.(*protocol.Refusal); ok && r.x != nil {
		s.errors = append(s.errors, refused{r.x, spec.Type, no})
	}
	return r
}

// limit is how long an answer to a message may take.
func (s *session) limit(t protocol.Type) time.Duration {
	if d, ok := s.Deadlines[t]; ok {
		return d
	}
	spec, _ := protocol.Lookup(t)
	return spec.Deadline
}

// late returns by how much an answer was late, if it was.
func (s *session) late(t protocol.Type, x *exchange) finding {
	if x != nil && x.elapsed > s.limit(t) {
		return fail("the answer to %s took %s; the limit is %s", t, x.elapsed.Round(10*time.Millisecond), s.limit(t)).in(x)
	}
	return pass
}

// form returns how a type of message is put to the agent.
func (s *session) form(t protocol.Type) (row string, form protocol.Form) {
	if s.Strict {
		return "", protocol.Form{}
	}
	d, err := protocol.ParseDialect(s.node.Dialect(s.peer))
	if err != nil {
		return "", protocol.Form{}
	}
	form, known := d.Forms[t]
	if !known || form.Frame == protocol.Ignored.Frame || form.Frame == protocol.Polled.Frame {
		form = dialect.Candidates(d, t)[0]
	}
	return d.Row, form
}

// placed returns an endpoint with another path, if one is given.
func placed(endpoint, path string) string {
	u, err := url.Parse(endpoint)
	if path == "" || err != nil {
		return endpoint
	}
	u.Path = path
	return u.String()
}

// page returns the address of another page of the agent.
func (s *session) page(path string) string { return placed(s.peer.Endpoint, path) }

// once computes something that several steps need, the first time that it is needed. It is safe for concurrent use.
func once[T any](s *session, name string, f func() T) T {
	s.mu.Lock()
	compute, ok := s.shared[name].(func() T)
	if !ok {
		compute = sync.OnceValue(f)
		s.shared[name] = compute
	}
	s.mu.Unlock()
	return compute()
}

// begun reports whether once was called with a name.
func (s *session) begun(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shared[name] != nil
}

// atEnd calls stop when the check ends.
func (s *session) atEnd(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, stop)
}

// match returns the id of a match that the checker plays.
func (s *session) match(round, n int) string { return protocol.MatchID(s.FirstRound-1+round, n) }

// conversation returns a new conversation.
func (s *session) conversation(about string) string {
	return "conv-check-" + about + "-" + s.node.Nonce(4)
}

// post sends a body as it is.
func (s *session) post(ctx context.Context, body []byte) *exchange {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	url := placed(s.peer.Endpoint, s.path)
	status, got, err := s.network.Post(ctx, url, "", body)
	return &exchange{verb: http.MethodPost, url: url, sent: body, status: status, got: got, err: err}
}

// contentType returns that of the agent's answer to a body.
func (s *session) contentType(ctx context.Context, body string) (*exchange, string) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	x := &exchange{verb: http.MethodPost, url: placed(s.peer.Endpoint, s.path), sent: []byte(body)}
	defer s.note(ctx, x)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.url, strings.NewReader(body))
	if err != nil {
		x.err = err
		return x, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.client.Do(req)
	if err != nil {
		x.err = err
		return x, ""
	}
	defer resp.Body.Close()
	x.status = resp.StatusCode
	x.got, x.err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return x, resp.Header.Get("Content-Type")
}

// get asks for a page of the agent.
func (s *session) get(ctx context.Context, url string) *exchange {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	x := &exchange{verb: http.MethodGet, url: url}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err == nil {
		var resp *http.Response
		if resp, err = s.client.Do(req); err == nil {
			x.status, x.stream = resp.StatusCode, strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
			if !x.stream { // that has no end
				x.got, err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			}
			err = firstError(err, resp.Body.Close())
		}
	}
	x.err = err
	s.note(ctx, x)
	return x
}

// firstError is the first error, usually the cause of the rest.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// note keeps an exchange for the step that is under way.
func (s *session) note(ctx context.Context, x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = x
	if x.verb == verbTool {
		s.called = append(s.called, x)
	}
	if t, ok := ctx.Value(tapeKey{}).(*tape); ok {
		t.exchanges = append(t.exchanges, x)
	}
}

// hear records a message that the agent sent on its own initiative.
func (s *session) hear(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, m)
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

// address completes a message of the manager.
func (s *session) address(m protocol.Message, t protocol.Type) {
	h := m.Head()
	h.MessageType, h.LeagueID, h.ConversationID = t, league, s.conversation("news")
	if t != protocol.TypeLeagueCompleted {
		h.RoundID = 1
	}
	h.AuthToken = s.managerToken(t, h.RoundID)
}

// managerToken is the checker's token as a manager.
func (s *session) managerToken(t protocol.Type, round protocol.Round) string {
	if s.manager.registered() {
		return s.manager.managerToken(t, round)
	}
	return "tok_manager_check"
}

// fakePlayers returns the checker's players, which are created when they are first needed.
func (s *session) fakePlayers(ctx context.Context) (*fakePlayers, error) {
	type opened struct {
		all *fakePlayers
		err error
	}
	o := once(s, "players", func() opened {
		all, stop, err := openPlayers(context.WithoutCancel(ctx), s.manager.key, s.hear)
		if err == nil {
			s.atEnd(stop)
		}
		return opened{all, err}
	})
	return o.all, o.err
}
