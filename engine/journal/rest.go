package journal

import (
	"context"
	"errors"
	"fmt"

	"agentleague/engine"
)

// Rest updates the head of an idle log and closes its file, so that a process can have more logs than open files. The
// next Append, Read or Check opens and verifies the file again. Rest ignores a log that is not open or is away.
func (e *Engine) Rest(ctx context.Context, log string) error {
	if err := errors.Join(engine.CheckName(log), e.enter(ctx)); err != nil {
		return fmt.Errorf("rest: %w", err)
	}
	e.mu.Lock()
	l := e.logs[log]
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	if err := l.rest(ctx); err != nil {
		return fmt.Errorf("rest %s: %w", log, e.translate(err))
	}
	return nil
}

// rest closes the file. If another process has changed the file, rest leaves it open, so that it can be restored.
func (l *log) rest(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer l.leave()
	if l.closed || l.file == nil || l.torn || l.intact() != nil || l.away {
		return nil
	}
	if l.head < l.end.seq {
		if err := l.writeHead(l.end); err != nil {
			return err
		}
		l.head = l.end.seq
	}
	l.line = nil // as large as the largest line was
	return l.shut()
}

// Check returns an [engine.AwayError] while another process has moved or changed the file of a log. It detects that
// without an append. It opens a log that is not open yet.
func (e *Engine) Check(ctx context.Context, log string) error {
	if err := engine.CheckName(log); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return fmt.Errorf("check %s: %w", log, e.translate(err))
	}
	l.leave()
	return nil
}

// KeepHead writes the head of a log for its newest entry, and returns after it is synced to disk.
func (e *Engine) KeepHead(ctx context.Context, log string) error {
	l, err := e.enterLog(ctx, log)
	if err == nil {
		defer l.leave()
		if err = l.writeHead(l.end); err == nil {
			l.head, l.headless = l.end.seq, false
		}
	}
	if err != nil {
		return fmt.Errorf("keep the head of %s: %w", log, e.translate(err))
	}
	return nil
}
