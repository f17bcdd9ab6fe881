package journal

import (
	"context"
	"errors"
	"fmt"

	"agentleague/engine"
)

// Rest lets go of the file of a log that nobody is going to use for a while, with its head up to date. The log stays as
// it is: the next Append, Read or Check opens the file again and looks at all of it, as after a start. A log that is
// not open, or is away, is left alone. So a process may have many more logs than it may open files.
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
		return fmt.Errorf("rest %s: %w", log, e.told(err))
	}
	return nil
}

// rest lets go of the file, unless it is not as it was left: then it stays open for whoever has it back.
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
