package jetstream

import (
	"context"
	"fmt"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Append writes batch as one message and returns after a majority of the replicas has synced it to disk. If the answer
// is lost, Append reads the log and retries only if the line is missing. The outcome is unknown only if the cluster
// does not answer for [Options].Patience.
func (e *Engine) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	err := engine.CheckAppend(log, batch)
	var end place
	if err == nil {
		end, err = e.append(ctx, log, prev, line.Ready(batch))
	}
	if err != nil {
		return engine.Mark{}, fmt.Errorf("append to %s: %w", log, e.conn.translate(err))
	}
	return end.mark(), nil
}

// append writes an entry after prev. Before a retry it checks whether the first attempt succeeded, so that no entry is
// written twice.
func (e *Engine) append(ctx context.Context, name string, prev uint64, p line.Payload) (place, error) {
	if err := e.conn.enter(ctx); err != nil {
		return place{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.conn.o.Patience)
	defer cancel()
	l := e.log(name)
	if err := l.enter(ctx); err != nil {
		return place{}, err
	}
	defer l.leave()
	if err := l.ready(ctx, prev); err != nil {
		return place{}, err
	}
	text := line.Append(nil, prev+1, l.end.hash, time.Now(), p)
	if prev == 0 {
		if err := l.begin(ctx, text); err != nil {
			return place{}, err
		}
	}
	if err := l.write(ctx, text); err != nil {
		return place{}, err
	}
	e.conn.o.Copy(name, l.end.seq, text)
	e.late.add(l)
	return l.end, nil
}

// ready verifies the log, unless that is known, and returns [engine.ErrFenced] if the log does not end at prev.
func (l *log) ready(ctx context.Context, prev uint64) error {
	if l.damage != nil {
		return l.damage
	}
	if !l.checked || l.end.seq != prev { // another process may have gone on
		for _, err := range l.follow(ctx, 0) {
			if err != nil {
				return err
			}
		}
	}
	if l.end.seq != prev {
		return engine.ErrFenced
	}
	return nil
}
