package journal

import (
	"context"
	"fmt"

	"agentleague/engine"
)

// Append writes batch as one line and returns once it is on disk. An error that is not
// [engine.ErrFenced] wraps that of the operating system, such as syscall.EIO; the line is then cut off
// before the log is used again. After a [engine.FullError] nothing is written until there is room for more
// than the next line.
func (e *Engine) Append(ctx context.Context, log string, prev uint64, batch []byte) (uint64, error) {
	if err := engine.CheckAppend(log, batch); err != nil {
		return 0, fmt.Errorf("append: %w", err)
	}
	seq := prev + 1
	if err := e.append(ctx, log, prev, newPayload(batch)); err != nil {
		return 0, fmt.Errorf("append %s %d: %w", log, seq, e.told(err))
	}
	return seq, nil
}

func (e *Engine) append(ctx context.Context, log string, prev uint64, p payload) error {
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return err
	}
	defer l.leave()
	if prev != l.end.seq {
		return fmt.Errorf("%w but at %d", engine.ErrFenced, l.end.seq)
	}
	return l.write(p)
}
