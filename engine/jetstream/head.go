package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
		at, err := l.engine.heads.put(ctx, l.name, 0, note, 0)
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
		if !l.engine.pause(ctx) {
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
	is, err := l.engine.heads.get(ctx, l.name)
	if err != nil || is.at == 0 {
		return head{}, err
	}
	seq, h, first, ok := parseHead(is.data)
	if !ok {
		return head{}, l.damaged(0, "its head in "+l.engine.stream("HEAD")+" cannot be read")
	}
	l.head, l.headSeq = is, seq
	return head{seq, h, first}, nil
}

// headIsBehind has the head of a log written soon.
func (e *Engine) headIsBehind(l *log) {
	e.mu.Lock()
	e.late[l] = struct{}{}
	e.mu.Unlock()
	select {
	case e.behind <- struct{}{}:
	default:
	}
}

// keepHeads writes the heads of logs that went on, until the engine closes; then once more.
func (e *Engine) keepHeads() {
	for {
		select {
		case <-e.behind:
		case <-e.closing:
			e.writeHeads()
			return
		}
		t := time.NewTimer(e.o.headLag)
		select {
		case <-t.C:
		case <-e.closing:
			t.Stop()
		}
		e.writeHeads()
	}
}

// writeHeads updates all heads. A failed write is retried with the next.
func (e *Engine) writeHeads() {
	e.mu.Lock()
	late := e.late
	e.late = map[*log]struct{}{}
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), oneTry)
	defer cancel()
	for l := range late {
		if err := l.writeHead(ctx); err != nil {
			e.warn("the head of %s is behind its log: %v", l.name, err)
			e.mu.Lock()
			e.late[l] = struct{}{}
			e.mu.Unlock()
		}
	}
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
		at, err := l.engine.heads.put(ctx, l.name, is.at, line.AppendHead(nil, end.seq, end.hash), 0)
		if err == nil {
			is, seq = value{at: at}, end.seq
			break
		}
		if !errors.Is(err, errChanged) {
			return err
		}
		if is, err = l.engine.heads.get(ctx, l.name); err != nil {
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
