package mailbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"agentleague/protocol"
)

// connect serves a WebSocket: the handshake, then letters in both directions until the connection ends or a newer one
// of the same mailbox takes over.
func (o *Office) connect(w http.ResponseWriter, r *http.Request, at Site) error {
	leave, err := o.enter("", at.Peer) // until the handshake has shown a key
	if err != nil {
		return err
	}
	counted := sync.OnceFunc(leave)
	defer counted()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return nil // Accept has answered
	}
	defer conn.CloseNow()
	s := newSocket(conn, o.limits.Body, func(time.Duration) {})
	e, reader, err := o.handshake(r.Context(), s, at)
	if err != nil {
		var no *Refusal
		if errors.As(err, &no) {
			at.warn(no)
			_ = conn.Close(websocket.StatusPolicyViolation, protocol.Clip(no.Reason, 110)) // a reason has at most 123 bytes
		}
		return nil
	}
	if o.registered(e.id) {
		counted()
	}
	s.rtt = func(d time.Duration) { e.rtt.Store(int64(d)) }
	if older := e.newest.Load(); reader.second && older != nil && at.Second != nil {
		at.Second(e.id, older.Peer)
	}
	e.connected(byWebSocket, at.Peer)
	c := &connection{socket: s, office: o, entry: e, site: at, reader: reader, used: counted, sent: map[string]bool{}}
	defer c.reader.Lost()
	c.serve(r.Context())
	return nil
}

// statusReplaced closes the connection of a mailbox that a newer connection has opened: the older end must not
// reconnect.
const statusReplaced = websocket.StatusCode(4001)

// handshake returns the mailbox that the agent's end opens with its key, and its reader. The reader takes over before the
// agent's end learns that the mailbox is open: of two connections, the one that was opened later is the newer.
func (o *Office) handshake(ctx context.Context, s *socket, at Site) (*entry, *reader, error) {
	own := nonce()
	if err := s.write(ctx, frame{Type: frameHello, Nonce: own, Manager: at.Manager, Seal: at.Seal}); err != nil {
		return nil, nil, err
	}
	f, err := s.step(ctx, frameOpen)
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "the handshake failed: %v", err)
	}
	key, err := protocol.ParsePublicKey(f.Key)
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "key: %v", err)
	}
	if len(f.Nonce) != len(own) || len(f.Instance) == 0 || len(f.Instance) > len(own) {
		return nil, nil, refuse(http.StatusBadRequest, "nonce, instance: want 32 hexadecimal digits")
	}
	id := OfKey(key)
	text := handshake{Manager: at.Manager, Seal: at.Seal, ID: id, ManagerNonce: own, AgentNonce: f.Nonce}.Text()
	if err := protocol.CheckSignature(f.Key, text, f.Signature); err != nil {
		return nil, nil, refuse(http.StatusForbidden, "%v, for this connection and manager", err)
	}
	e, err := o.open(id, at.Peer)
	if err != nil {
		return nil, nil, err
	}
	reader := e.Attach(f.Instance)
	if err := s.write(ctx, frame{Type: frameReady, ID: id, Managers: at.Others}); err != nil {
		reader.Lost()
		return nil, nil, err
	}
	return e, reader, nil
}

// A connection is the manager's end of an open WebSocket.
type connection struct {
	*socket
	office *Office
	entry  *entry
	site   Site
	reader *reader
	used   func() // ends the count of the connection, once its agent is registered

	mu   sync.Mutex
	sent map[string]bool // letters that were offered here and not answered
}

// serve runs until ctx or the connection ends, or a newer connection takes over.
func (c *connection) serve(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.site.Life != nil {
		stop := context.AfterFunc(c.site.Life, func() { cancel(errEnds) })
		defer stop()
	}
	letters, end := context.WithCancel(context.WithoutCancel(ctx)) // a lost connection is no failure of what serves them
	defer context.AfterFunc(ctx, end)()
	var tasks sync.WaitGroup
	defer tasks.Wait()
	run := func(f func(context.Context) error) { tasks.Go(func() { cancel(f(ctx)) }) }
	run(c.deliver)
	run(c.keepAlive)
	run(func(ctx context.Context) error { return c.receive(ctx, letters, &tasks) })
	<-ctx.Done()
	c.close(context.Cause(ctx))
}

// errEnds ends the connections of a league that is closed here.
var errEnds = errors.New("the manager ends; it may be back soon")

// close closes the connection and gives the peer the reason. It ends a read in progress.
func (c *connection) close(why error) {
	var no *Refusal
	switch {
	case errors.Is(why, ErrReplaced):
		_ = c.conn.Close(statusReplaced, why.Error())
	case errors.As(why, &no):
		c.site.warn(no)
		_ = c.conn.Close(websocket.StatusPolicyViolation, protocol.Clip(no.Reason, 110))
	case errors.Is(why, errEnds):
		_ = c.conn.Close(websocket.StatusGoingAway, why.Error())
	default:
		_ = c.conn.CloseNow()
	}
}

// deliver sends the letters of the mailbox.
func (c *connection) deliver(ctx context.Context) error {
	for {
		l, err := c.reader.Next(ctx)
		if err != nil {
			return err
		}
		c.offered(ctx, l)
		if err := c.write(ctx, letterFrame(l)); err != nil {
			return err
		}
	}
}

// offered counts a letter as open until it is answered or its deadline passes.
func (c *connection) offered(ctx context.Context, l letter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent[l.ID] {
		return
	}
	c.sent[l.ID] = true
	c.begin()
	if !l.Deadline.IsZero() {
		time.AfterFunc(time.Until(l.Deadline), func() { c.answered(l.ID) })
	}
}

// answered ends the count of a letter.
func (c *connection) answered(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent[id] {
		delete(c.sent, id)
		c.end()
	}
}

// receive reads answers and the agent's own letters, which are served until the context letters ends.
func (c *connection) receive(ctx, letters context.Context, tasks *sync.WaitGroup) error {
	room := make(chan struct{}, c.office.limits.Letters)
	for {
		f, err := c.read(context.WithoutCancel(ctx)) // the end of a read's context would close the connection without a reason
		if errors.Is(err, websocket.ErrMessageTooBig) || int64(len(f.Body)) > c.office.limits.Body && f.Type == frameLetter {
			err = refuse(http.StatusRequestEntityTooLarge, "a letter has at most %d bytes (mailboxes.max_bytes)", c.office.limits.Body)
		}
		if err != nil {
			return err
		}
		if err := c.entry.inlet.WaitN(ctx, min(len(f.Body), c.entry.inlet.Burst())); err != nil { // backpressure
			return err
		}
		switch f.Type {
		case frameAnswer:
			c.answered(f.ID)
			if err := c.entry.Answer(f.ID, f.answer()); err != nil && !errors.Is(err, errLate) {
				_ = c.entry.Answer(f.ID, Answer{Error: err.Error()})
			}
		case frameLetter:
			select {
			case room <- struct{}{}:
				tasks.Go(func() {
					defer func() { <-room }()
					c.answerLetter(letters, f)
				})
			default:
				no := &Refusal{http.StatusTooManyRequests, fmt.Sprintf("%d letters of this mailbox to the manager are in progress", cap(room))}
				c.site.warn(no)
				_ = c.write(ctx, answerFrame(f.ID, Answer{Status: no.Status, Error: no.Reason}))
			}
		default:
			return refuse(http.StatusBadRequest, "want frames of type letter or answer, got %.20q", f.Type)
		}
	}
}

// answerLetter answers a letter of the agent to the manager.
func (c *connection) answerLetter(ctx context.Context, f frame) {
	c.begin()
	defer c.end()
	serving, cancel := f.deadline(ctx)
	defer cancel()
	a := c.site.Receive(serving, c.entry.id, []byte(f.Body))
	if c.office.registered(c.entry.id) {
		c.used()
	}
	_ = c.write(ctx, answerFrame(f.ID, a)) // a lost connection shows at its reader
}
