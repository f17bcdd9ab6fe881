package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// The head of a log is a separate value with the number and the hash of its newest acknowledged line. It lags behind by
// at most 100 ms. While that is line 1, the head also contains the line itself.

// parseHead parses a head. first is the text of the first line if the head contains it.
func parseHead(text []byte) (seq uint64, h line.Hash, first []byte, ok bool) {
	end := bytes.IndexByte(text, '\n') + 1
	if seq, h, ok = line.ParseHead(text[:end]); !ok {
		return 0, h, nil, false
	}
	if rest := text[end:]; len(rest) > 0 {
		ok = seq == 1 && line.Of(rest) == h
		return seq, h, rest, ok
	}
	return seq, h, nil, true
}

// begin stores the first line of a log in its head, before the line itself is written. If another writer has stored a
// different first line, begin writes that line to the log for it and returns [engine.ErrFenced].
func (l *log) begin(ctx context.Context, text []byte) error {
	note := append(line.AppendHead(nil, 1, line.Of(text)), text...)
	for {
		at, err := l.heads.put(ctx, l.name, 0, note, 0)
		if err == nil {
			l.head, l.headSeq = value{note, at}, 1
			return nil
		}
		if errors.Is(err, errChanged) {
			if known, err := l.begun(ctx, text); known {
				return err
			}
		} else if isFinal(err) {
			return err
		}
		if !l.conn.pause(ctx) {
			return errors.Join(err, ctx.Err())
		}
	}
}

// begun determines which writer stored the head that appeared in an empty log. It returns true, nil if it was this
// writer, whose answer was lost, and true with the error if it was another or if the log is damaged. It returns false
// if that is not known yet.
func (l *log) begun(ctx context.Context, text []byte) (known bool, err error) {
	is, err := l.readHead(ctx)
	switch {
	case err != nil:
		return isFinal(err), err
	case bytes.Equal(is.first, text):
		return true, nil
	case is.first != nil:
		return true, errors.Join(l.finish(ctx, is.first), engine.ErrFenced)
	case is.seq == 0:
		return false, nil
	}
	end, err := l.last(ctx)
	switch {
	case err != nil:
		return isFinal(err), err
	case end.seq == 0:
		return true, l.damaged(1, fmt.Sprintf("the log is empty, and %d was acknowledged", is.seq))
	}
	l.checked = false
	return true, engine.ErrFenced
}

// finish writes the first line that the head contains, because its writer may have crashed before it wrote the line.
func (l *log) finish(ctx context.Context, first []byte) error {
	l.end = place{}
	err := l.write(ctx, first)
	if errors.Is(err, engine.ErrFenced) { // it is there, and more
		return nil
	}
	return err
}

// head is the content of LEAGUE_HEAD for a log.
type head struct {
	seq   uint64
	hash  line.Hash
	first []byte // line 1 itself while seq is 1
}

// readHead returns the recorded head: the number and the hash of a line that the log must contain. It is zero if the log
// has no line.
func (l *log) readHead(ctx context.Context) (head, error) {
	is, err := l.heads.get(ctx, l.name)
	if err != nil || is.at == 0 {
		return head{}, err
	}
	seq, h, first, ok := parseHead(is.data)
	if !ok {
		return head{}, l.damaged(0, "its head in "+l.conn.stream("HEAD")+" cannot be read")
	}
	l.head, l.headSeq = is, seq
	return head{seq, h, first}, nil
}

// writeHead advances the head to the end of the log. It never moves the head back, since another process may have
// advanced it.
func (l *log) writeHead(ctx context.Context) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	end := l.end
	is, seq := l.head, l.headSeq
	l.leave() // appends need not wait
	for seq < end.seq {
		at, err := l.heads.put(ctx, l.name, is.at, line.AppendHead(nil, end.seq, end.hash), 0)
		if err == nil {
			is, seq = value{at: at}, end.seq
			break
		}
		if !errors.Is(err, errChanged) {
			return err
		}
		if is, err = l.heads.get(ctx, l.name); err != nil {
			return err
		}
		var ok bool
		if seq, _, _, ok = parseHead(is.data); !ok {
			return fmt.Errorf("%w: its head cannot be read", engine.ErrDamaged)
		}
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	if seq > l.headSeq {
		l.head, l.headSeq = is, seq
	}
	return nil
}

// A headWriter updates the heads of logs shortly after appends, in the background.
type headWriter struct {
	conn   *connection
	behind chan struct{} // has an element when late has
	done   sync.WaitGroup

	mu   sync.Mutex
	late map[*log]struct{} // logs that go on after their heads
}

// newHeadWriter starts the goroutine that writes heads. It ends when the connection is shut.
func newHeadWriter(c *connection) *headWriter {
	w := &headWriter{conn: c, behind: make(chan struct{}, 1), late: map[*log]struct{}{}}
	w.done.Go(w.run)
	return w
}

// add has the head of a log written soon.
func (w *headWriter) add(l *log) {
	w.mu.Lock()
	w.late[l] = struct{}{}
	w.mu.Unlock()
	select {
	case w.behind <- struct{}{}:
	default:
	}
}

// run writes outdated heads until the connection is shut, and then once more.
func (w *headWriter) run() {
	for {
		select {
		case <-w.behind:
		case <-w.conn.closing:
			w.write()
			return
		}
		t := time.NewTimer(w.conn.o.headLag)
		select {
		case <-t.C:
		case <-w.conn.closing:
			t.Stop()
		}
		w.write()
	}
}

// write updates all outdated heads. It logs a failure, and retries it with the next update.
func (w *headWriter) write() {
	w.mu.Lock()
	late := w.late
	w.late = map[*log]struct{}{}
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	for l := range late {
		if err := l.writeHead(ctx); err != nil {
			w.conn.warn("the head of %s is behind its log: %v", l.name, err)
			w.mu.Lock()
			w.late[l] = struct{}{}
			w.mu.Unlock()
		}
	}
}
