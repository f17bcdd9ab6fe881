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

// A head is a line that was acknowledged, written at most 100 ms after it. As long as it is the first, the head holds
// that line as a whole.

// parseHead reads a head. First is the log's first line if the head holds it.
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

// begin stores the first line of a log in its head before it is written. A second writer is fenced, after it has
// written the first line for the first writer.
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

// begun determines the writer of the first line of a log that was empty when it was read and has a head now: this
// process, whose answer was lost, or another, which may have continued since; or its lines are lost. The answer may
// still be open.
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

// finish writes a first line from the head, whose writer may have died before writing it.
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
	first []byte // the first line, as long as the head is the first
}

// readHead returns the line that the log has to reach. A log has a head before it has a line.
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

// writeHead raises the head to the end of the log. It never lowers it: another process may have gone on.
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

// A headWriter writes the heads of the logs that were appended to, soon after the append.
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

// run writes the heads of logs that went on, until the connection is shut; then once more.
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

// write updates all heads. A failed write is retried with the next.
func (w *headWriter) write() {
	w.mu.Lock()
	late := w.late
	w.late = map[*log]struct{}{}
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), oneTry)
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
