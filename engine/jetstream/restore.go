package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"agentleague/engine"
	"agentleague/engine/line"
)

var _ engine.Restorer = (*Engine)(nil)

// Restore writes the lines of another engine's log, each fenced and acknowledged like an append. If it is interrupted,
// the log has a prefix of the lines, and a second call writes the rest.
func (e *Engine) Restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (engine.Mark, error) {
	err := engine.CheckName(log)
	if err == nil {
		err = e.conn.enter(ctx)
	}
	var end place
	if err == nil {
		end, err = e.restore(ctx, e.log(log), lines)
	}
	if err != nil {
		return engine.Mark{}, fmt.Errorf("restore %s: %w", log, e.conn.translate(err))
	}
	return end.mark(), nil
}

// restore appends the lines that the log lacks. If the log is no prefix of the lines, it changes nothing and returns
// [engine.ErrTaken].
func (e *Engine) restore(ctx context.Context, l *log, lines iter.Seq2[[]byte, error]) (place, error) {
	whole, err := line.Whole(lines)
	if err != nil {
		return place{}, err
	}
	if err := l.enter(ctx); err != nil {
		return place{}, err
	}
	defer l.leave()
	for _, err := range l.follow(ctx, 0) {
		if err != nil {
			return place{}, err
		}
	}
	rest, err := line.After(whole, l.end.seq, l.end.hash)
	for _, one := range rest {
		if err = l.restoreLine(ctx, one.Text); err != nil {
			break
		}
		e.late.add(l)
	}
	if errors.Is(err, engine.ErrFenced) { // another process wrote in between
		err = engine.ErrTaken
	}
	return l.end, err
}

// restoreLine appends one line as it is. Like an append it retries up to Patience.
func (l *log) restoreLine(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, l.conn.o.Patience)
	defer cancel()
	if l.end.seq == 0 {
		if err := l.begin(ctx, text); err != nil {
			return err
		}
	}
	return l.write(ctx, text)
}
