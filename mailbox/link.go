package mailbox

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"agentleague/protocol"
)

// A Config configures the agent's end of a mailbox.
type Config struct {
	Manager string             // its endpoint, such as https://league.example/k/KEY/mcp
	Key     ed25519.PrivateKey // of the mailbox: a native agent's own key, or one of its own

	// Deliver passes the body of a letter to the agent and returns its answer. It is called concurrently, once per
	// letter. Ctx ends with the letter's deadline or the link.
	Deliver func(ctx context.Context, body []byte) Answer

	Client *http.Client // for the connection; default: http.DefaultClient
	Report func(Event)  // is called when the connection is opened or lost; may be nil
	Body   int64        // the maximum size of a body in bytes; default 1 MiB
}

// An Event is a change of a link's connection, for people.
type Event struct {
	Connected bool
	Retry     time.Duration // until the next attempt, if the connection is lost; 0: it is not opened again
	Err       error         // why it was lost
}

// A Link is the agent's end of a mailbox. It reconnects until it is closed, its context ends, or [ErrReplaced]. It is
// safe for concurrent use.
type Link struct {
	cfg      Config
	id       string
	instance string
	cancel   context.CancelCauseFunc
	ctx      context.Context
	done     chan struct{}
	tasks    sync.WaitGroup

	managers []string // to dial, the one that answered last first; used by the goroutine that opens connections

	mu        sync.Mutex
	socket    *socket                  // the open connection; nil: none
	rtt       time.Duration            // of its newest ping
	working   map[string]bool          // letters that the agent is answering
	answers   ring[Answer]             // the newest answers
	answering int                      // letters whose answer is not written yet
	sent      map[string]*upwardLetter // letters to the manager that are not answered
}

// An upwardLetter is an open letter to the manager.
type upwardLetter struct {
	letter
	answer chan Answer
}

// Dial opens the mailbox of a key at a manager. It returns an error if the first attempt fails; a [Refusal] is the
// manager's. The link ends with ctx.
func Dial(ctx context.Context, c Config) (*Link, error) {
	c.Body = cmp.Or(c.Body, 1<<20)
	if c.Report == nil {
		c.Report = func(Event) {}
	}
	l := &Link{
		cfg: c, id: OfKey(c.Key.Public().(ed25519.PublicKey)), instance: nonce(), done: make(chan struct{}),
		managers: []string{c.Manager}, working: map[string]bool{}, sent: map[string]*upwardLetter{},
	}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	s, err := l.open()
	if err != nil {
		l.cancel(err)
		return nil, err
	}
	go l.run(s)
	return l, nil
}

// ID returns the id of the mailbox.
func (l *Link) ID() string { return l.id }

// Endpoint returns the endpoint to register with the manager: "mailbox:ID".
func (l *Link) Endpoint() string { return Endpoint(l.id) }

// Done returns a channel that is closed when the link has ended. Err then returns the reason.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err returns why the link has ended, or nil while it runs.
func (l *Link) Err() error { return context.Cause(l.ctx) }

// Close ends the link and waits for its goroutines. The answers to letters in progress are still sent, if they come
// within closeWait.
func (l *Link) Close() {
	for end := time.Now().Add(closeWait); l.inProgress() && time.Now().Before(end); {
		time.Sleep(closeWait / 200)
	}
	l.cancel(errClosed)
	<-l.done
}

// closeWait limits the time of letters in progress when a link is closed.
const closeWait = 2 * time.Second

// inProgress reports whether a letter is being answered on an open connection.
func (l *Link) inProgress() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answering > 0 && l.socket != nil
}

var errClosed = errors.New("the link was closed")

// Connected reports whether a connection is open, and the round-trip time of its newest ping, 0 if unknown.
func (l *Link) Connected() (rtt time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rtt, l.socket != nil
}

// Send sends a message to the manager and returns its answer. It waits until ctx ends, also while the connection is
// lost, and sends the message again on the next connection: send only messages that may be repeated.
func (l *Link) Send(ctx context.Context, body []byte) (Answer, error) {
	if int64(len(body)) > l.cfg.Body {
		return Answer{}, refuse(http.StatusRequestEntityTooLarge, "a letter has at most %d bytes", l.cfg.Body)
	}
	e := &upwardLetter{letter: letter{ID: nonce(), Body: body}, answer: make(chan Answer, 1)}
	e.Deadline, _ = ctx.Deadline()
	l.mu.Lock()
	l.sent[e.ID] = e
	s := l.socket
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.sent, e.ID)
		l.mu.Unlock()
	}()
	if s != nil {
		s.begin()
		defer s.end()
		go func() { _ = s.write(l.ctx, letterFrame(e.letter)) }() // a lost connection shows at its reader
	}
	select {
	case a := <-e.answer:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	case <-l.ctx.Done():
		return Answer{}, l.Err()
	}
}

// open opens a connection with the next manager in turn.
func (l *Link) open() (*socket, error) {
	manager := l.managers[0]
	s, others, err := l.dial(manager)
	if err != nil {
		l.managers = append(l.managers[1:], manager)
		return nil, err
	}
	l.managers = []string{manager}
	for _, base := range append(others, l.cfg.Manager) {
		if next := atManager(l.cfg.Manager, base); next != "" && !slices.Contains(l.managers, next) && len(l.managers) < maxManagers {
			l.managers = append(l.managers, next)
		}
	}
	return s, nil
}

// dial dials a manager and makes the handshake. It returns the addresses of the other managers of its cluster.
func (l *Link) dial(manager string) (_ *socket, others []string, err error) {
	address, err := connectAddress(manager)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(l.ctx, handshakeWait)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: l.cfg.Client})
	if err != nil {
		return nil, nil, dialError(answer, err)
	}
	s := newSocket(conn, l.cfg.Body, l.measured)
	if others, err = l.handshake(ctx, s, manager); err != nil {
		_ = conn.CloseNow()
		return nil, nil, asRefusal(err)
	}
	return s, others, nil
}

// dialError returns the manager's refusal of a connection, if there is one.
func dialError(answer *http.Response, err error) error {
	if answer == nil || answer.StatusCode == http.StatusSwitchingProtocols {
		return err
	}
	text := make([]byte, 1024) // more than the library keeps of a body
	n, _ := answer.Body.Read(text)
	reason := protocol.Clip(protocol.Plain(string(text[:n])), 300)
	if answer.StatusCode == http.StatusNotFound {
		reason = "there are no mailboxes at this address: " + reason
	}
	return &Refusal{answer.StatusCode, cmp.Or(reason, answer.Status)}
}

// asRefusal returns the manager's sentence in a close frame as a [Refusal].
func asRefusal(err error) error {
	var closed websocket.CloseError
	switch {
	case !errors.As(err, &closed):
		return err
	case closed.Code == statusReplaced:
		return ErrReplaced
	case closed.Code == websocket.StatusPolicyViolation:
		return &Refusal{http.StatusForbidden, protocol.Plain(closed.Reason)}
	}
	return err
}

// handshake proves the key of the mailbox to the manager that was dialled. It returns the addresses of the others.
func (l *Link) handshake(ctx context.Context, s *socket, manager string) (others []string, err error) {
	hello, err := s.step(ctx, frameHello)
	if err != nil {
		return nil, err
	}
	if !sameManager(manager, hello.Manager) {
		return nil, refuse(http.StatusForbidden, "the manager at %s calls itself %s; dial it by that address", manager,
			protocol.Clip(protocol.Plain(hello.Manager), 200))
	}
	h := handshake{Manager: hello.Manager, Seal: hello.Seal, ID: l.id, ManagerNonce: hello.Nonce, AgentNonce: nonce()}
	err = s.write(ctx, frame{
		Type: frameOpen, Key: protocol.PublicKey(l.cfg.Key), Nonce: h.AgentNonce, Instance: l.instance,
		Signature: protocol.Sign(l.cfg.Key, h.Text()),
	})
	if err != nil {
		return nil, err
	}
	ready, err := s.step(ctx, frameReady)
	if err == nil && ready.ID != l.id {
		err = fmt.Errorf("the manager opened the mailbox %.40q, not %s", ready.ID, l.id)
	}
	return ready.Managers, err
}

// measured records a round-trip time.
func (l *Link) measured(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rtt = d
}
