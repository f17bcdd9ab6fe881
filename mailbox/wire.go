package mailbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// The types of frames.
const (
	frameHello  = "hello"
	frameOpen   = "open"
	frameReady  = "ready"
	frameLetter = "letter"
	frameAnswer = "answer"
)

// A frame is one text message of the WebSocket.
type frame struct {
	Type       string `json:"type"`
	ID         string `json:"id,omitempty"`
	DeadlineMS int64  `json:"deadline_ms,omitempty"`
	Body       string `json:"body,omitempty"`
	Status     int    `json:"status,omitempty"`
	Error      string `json:"error,omitempty"`

	Nonce     string `json:"nonce,omitempty"`
	Manager   string `json:"manager,omitempty"`
	Seal      string `json:"seal,omitempty"`
	Key       string `json:"key,omitempty"`
	Instance  string `json:"instance,omitempty"`
	Signature string `json:"signature,omitempty"`

	Managers []string `json:"managers,omitempty"`
}

// letterFrame returns the frame of a letter.
func letterFrame(l letter) frame {
	f := frame{Type: frameLetter, ID: l.ID, Body: string(l.Body)}
	if !l.Deadline.IsZero() {
		f.DeadlineMS = max(1, time.Until(l.Deadline).Milliseconds())
	}
	return f
}

// answerFrame returns the frame of an answer.
func answerFrame(id string, a Answer) frame {
	return frame{Type: frameAnswer, ID: id, Body: string(a.Body), Status: a.Status, Error: a.Error}
}

// answer returns the answer in a frame.
func (f frame) answer() Answer { return Answer{Status: f.Status, Body: []byte(f.Body), Error: f.Error} }

// deadline returns ctx with the deadline of a letter, at most maxDeadline.
func (f frame) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	d := time.Duration(f.DeadlineMS) * time.Millisecond
	if f.DeadlineMS <= 0 || d > maxDeadline {
		d = maxDeadline
	}
	return context.WithTimeout(ctx, d)
}

// maxDeadline limits the deadline of a letter, and is that of a letter without one.
const maxDeadline = time.Hour

// The intervals of pings, and how long each end waits for the answer to one.
const (
	pingBusy = 2 * time.Second // while a letter is open
	pingIdle = 25 * time.Second
	pingWait = 2 * time.Second
)

// handshakeWait limits each step of a handshake.
const handshakeWait = 10 * time.Second

// errSilent ends a connection if the peer does not answer pings.
var errSilent = errors.New("the connection is silent: two pings were not answered")

// A socket is one WebSocket with its pings.
type socket struct {
	conn *websocket.Conn
	work atomic.Int32  // open letters of both directions
	wake chan struct{} // receives when work begins
	rtt  func(time.Duration)
}

func newSocket(c *websocket.Conn, limit int64, rtt func(time.Duration)) *socket {
	c.SetReadLimit(2*limit + 64<<10) // a body is written as a JSON string
	return &socket{conn: c, wake: make(chan struct{}, 1), rtt: rtt}
}

// begin counts an open letter: until end is called for it, the socket pings often.
func (s *socket) begin() {
	if s.work.Add(1) == 1 {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

func (s *socket) end() { s.work.Add(-1) }

// write sends a frame. It is safe for concurrent use.
func (s *socket) write(ctx context.Context, f frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return s.conn.Write(ctx, websocket.MessageText, text)
}

// read receives a frame.
func (s *socket) read(ctx context.Context) (f frame, err error) {
	kind, text, err := s.conn.Read(ctx)
	switch {
	case err != nil:
		return f, err
	case kind != websocket.MessageText:
		return f, fmt.Errorf("want text frames, got a binary one")
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("a frame is not JSON: %w", err)
	}
	return f, nil
}

// step receives the next frame of a handshake.
func (s *socket) step(ctx context.Context, want string) (frame, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	f, err := s.read(ctx)
	if err == nil && f.Type != want {
		err = fmt.Errorf("want a frame of type %q, got %q", want, f.Type)
	}
	return f, err
}

// keepAlive pings the peer until ctx ends or two pings in a row are not answered. The caller must read concurrently.
func (s *socket) keepAlive(ctx context.Context) error {
	t := time.NewTimer(pingIdle)
	defer t.Stop()
	missed, heard := 0, time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
			if time.Since(heard) < pingBusy {
				t.Reset(pingBusy)
				continue
			}
		case <-t.C:
		}
		for {
			start := time.Now()
			err := s.ping(ctx)
			if err == nil {
				heard, missed = time.Now(), 0
				s.rtt(heard.Sub(start))
				break
			}
			if ctx.Err() != nil {
				return nil
			}
			if missed++; missed == 2 {
				return errSilent
			}
		}
		next := pingIdle
		if s.work.Load() > 0 {
			next = pingBusy
		}
		t.Reset(next)
	}
}

func (s *socket) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	return s.conn.Ping(ctx)
}
