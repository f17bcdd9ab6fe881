package journal

import (
	"context"
	"fmt"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Append writes batch as one line and returns after it is synced to disk. The hash in the mark covers the line without
// its newline; the next line has it as prev. An error other than [engine.ErrFenced] wraps that of the operating system,
// such as syscall.EIO; the next operation truncates the line. After an [engine.FullError] the log writes nothing until
// more space is free than the next line needs.
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

// append writes an entry after prev and returns after it is synced to disk. If the log does not end at prev, it returns
// [engine.ErrFenced] and writes nothing.
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
