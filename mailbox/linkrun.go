package mailbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// The backoff of reconnects, doubled from the minimum to the maximum, with jitter.
const (
	minBackoff = 250 * time.Millisecond
	maxBackoff = 15 * time.Second
)

// run serves the connection s, and reconnects until the link ends.
func (l *Link) run(s *socket) {
	defer close(l.done)
	defer l.tasks.Wait()
	backoff := minBackoff
	var err error
	for {
		if s != nil {
			l.cfg.Report(Event{Connected: true})
			start := time.Now()
			err = l.serve(s)
			if time.Since(start) > pingIdle { // not a manager that accepts and closes
				backoff = minBackoff
			}
		}
		if l.ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrReplaced) {
			l.cancel(ErrReplaced)
			l.cfg.Report(Event{Err: ErrReplaced})
			return
		}
		pause := backoff/2 + rand.N(backoff)
		l.cfg.Report(Event{Retry: pause, Err: err})
		if !l.pause(pause) {
			return
		}
		backoff = min(2*backoff, maxBackoff)
		s, err = l.open()
	}
}

// pause waits, and returns early after a change of the network. It returns false at the end of the link.
func (l *Link) pause(d time.Duration) bool {
	before := addresses()
	for end := time.Now().Add(d); time.Now().Before(end); {
		t := time.NewTimer(min(time.Second, time.Until(end)))
		select {
		case <-t.C:
		case <-l.ctx.Done():
			t.Stop()
			return false
		}
		if addresses() != before {
			break
		}
	}
	return l.ctx.Err() == nil
}

// addresses returns the addresses of this machine as text, to detect a change of the network.
func addresses() string {
	all, _ := net.InterfaceAddrs()
	return fmt.Sprint(all)
}

// serve handles an open connection until it or the link ends.
func (l *Link) serve(s *socket) error {
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	again := l.attach(s) // before the first letter is read, whose answer needs the connection
	defer l.detach()
	tasks.Go(func() {
		if err := s.keepAlive(ctx); err != nil {
			cancel(err)
		}
	})
	tasks.Go(func() { cancel(l.receive(ctx, s)) }) // ends when the connection is closed
	for _, letter := range again {
		if s.write(ctx, letterFrame(letter)) != nil {
			break // the reader returns the reason
		}
	}
	<-ctx.Done()
	if l.ctx.Err() != nil {
		_ = s.conn.Close(websocket.StatusNormalClosure, "the agent ends")
		return l.Err()
	}
	_ = s.conn.CloseNow()
	return asRefusal(context.Cause(ctx))
}

// attach makes s the connection of the link. It returns the open letters to the manager, which are to be sent again.
func (l *Link) attach(s *socket) (again []letter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.socket, l.rtt = s, 0
	for _, e := range l.sent {
		again = append(again, e.letter)
	}
	if len(l.working) > 0 {
		s.begin() // the manager offers them again; pings are frequent until then
		time.AfterFunc(pingIdle, s.end)
	}
	return again
}

func (l *Link) detach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.socket = nil
}

// receive reads the letters and answers of the manager.
func (l *Link) receive(ctx context.Context, s *socket) error {
	for {
		f, err := s.read(context.WithoutCancel(ctx)) // see connection.receive
		if err != nil {
			return err
		}
		switch f.Type {
		case frameAnswer:
			l.mu.Lock()
			e := l.sent[f.ID]
			delete(l.sent, f.ID)
			l.mu.Unlock()
			if e != nil {
				e.answer <- f.answer()
			}
		case frameLetter:
			l.take(s, f)
		} // frames of later versions are ignored
	}
}

// take starts to answer a letter, unless the agent has received it before: then its answer is sent again, once there
// is one.
func (l *Link) take(s *socket, f frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.working[f.ID] {
		return
	}
	if a, known := l.answers.get(f.ID); known {
		go func() { _ = s.write(l.ctx, answerFrame(f.ID, a)) }() // a lost connection shows at its reader
		return
	}
	l.working[f.ID] = true
	l.answering++
	s.begin()
	l.tasks.Go(func() {
		defer l.written()
		defer s.end()
		ctx, cancel := f.deadline(l.ctx)
		defer cancel()
		a := l.cfg.Deliver(ctx, []byte(f.Body))
		if l.ctx.Err() != nil {
			return // the end of the link interrupted the agent
		}
		if int64(len(a.Body)) > l.cfg.Body {
			a = Answer{Error: fmt.Sprintf("the agent's answer has more than %d bytes", l.cfg.Body)}
		}
		l.answered(f.ID, a)
	})
}

// written ends the count of a letter whose answer is written.
func (l *Link) written() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answering--
}

// answered remembers an answer and sends it on the connection that is open now. If there is none, the manager offers
// the letter again on the next one.
func (l *Link) answered(id string, a Answer) {
	l.mu.Lock()
	delete(l.working, id)
	l.answers.put(id, a)
	s := l.socket
	l.mu.Unlock()
	if s != nil {
		_ = s.write(l.ctx, answerFrame(id, a))
	}
}
