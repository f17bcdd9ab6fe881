package journal

import (
	"context"
	"fmt"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Append writes batch as one line and returns once it is on disk. The hash is that of the line less its
// newline, which is the prev of the next. An error that is not
// [engine.ErrFenced] wraps that of the operating system, such as syscall.EIO; the line is then cut off
// before the log is used again. After a [engine.FullError] nothing is written until there is room for more
// than the next line.
func (e *Engine) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	if err := engine.CheckAppend(log, batch); err != nil {
		return engine.Mark{}, fmt.Errorf("append: %w", err)
	}
	at, err := e.append(ctx, log, prev, line.Ready(batch))
	if err != nil {
		return engine.Mark{}, fmt.Errorf("append %s %d: %w", log, prev+1, e.translate(err))
	}
	return at.exported(), nil
}

// append writes an entry after prev and returns once it is on disk. If the log ends elsewhere, another process has
// written and the log is not changed.
func (e *Engine) append(ctx context.Context, log string, prev uint64, p line.Payload) (mark, error) {
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return mark{}, err
	}
	defer l.leave()
	if prev != l.end.seq {
		return mark{}, fmt.Errorf("%w but at %d", engine.ErrFenced, l.end.seq)
	}
	err = l.write(p)
	return l.end, err
}
