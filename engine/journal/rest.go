package journal

import (
	"context"
	"errors"
	"fmt"

	"agentleague/engine"
)

// Rest closes the file of an idle log after updating its head. The next Append, Read or Check opens the file again
// and verifies all of it, as after a start. A log that is not open, or is away, is left alone. So a process can have
// more logs than open files.
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

// rest closes the file, unless it was changed by another process: then it stays open so that it can be restored.
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

// Check returns an [engine.AwayError] while the file of a log is not as this engine left it, so that an idle owner
// learns of it too. A log that is not open yet is opened.
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

// KeepHead returns when the head of a log durably covers its newest entry.
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
