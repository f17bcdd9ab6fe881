package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Append writes batch as one message and returns once a majority of the replicas has it on disk. If the cluster's
// answer is lost, Append looks for the line in the log and sends it again if needed: the outcome is unknown only if
// there is no answer within the engine's patience.
func (e *Engine) Append(ctx context.Context, log string, prev uint64, batch []byte) (engine.Mark, error) {
	err := engine.CheckAppend(log, batch)
	var end place
	if err == nil {
		end, err = e.append(ctx, log, prev, line.Ready(batch))
	}
	if err != nil {
		return engine.Mark{}, fmt.Errorf("append to %s: %w", log, e.told(err))
	}
	return end.mark(), nil
}

// append writes an entry after prev. An append with unknown outcome is looked up before it is retried, so that no
// entry is written twice.
func (e *Engine) append(ctx context.Context, name string, prev uint64, p line.Payload) (place, error) {
	if err := e.enter(ctx); err != nil {
		return place{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.Patience)
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
	e.o.Copy(name, l.end.seq, text)
	e.headIsBehind(l)
	return l.end, nil
}

// ready makes sure that the log is whole and ends at prev.
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

// write appends a line to the log. It retries until the outcome is known.
func (l *log) write(ctx context.Context, text []byte) error {
	want := line.Of(text)
	for {
		ack, err := l.publish(ctx, text)
		if err == nil {
			l.end = place{l.end.seq + 1, want, ack.Sequence}
			return nil
		}
		if isFinal(err) && !isWrongLast(err) {
			return err
		}
		if done, err := l.settle(ctx, want); done || err != nil {
			return err
		}
		if !l.engine.pause(ctx) {
			return errors.Join(err, ctx.Err())
		}
	}
}

// publish sends a line that is to follow the end.
func (l *log) publish(ctx context.Context, text []byte) (*jetstream.PubAck, error) {
	one, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	return l.engine.js.PublishMsg(one, &nats.Msg{Subject: l.subject, Data: text},
		jetstream.WithExpectStream(l.stream.CachedInfo().Config.Name), jetstream.WithExpectLastSequencePerSubject(l.end.at))
}

// settle determines the outcome of a line whose answer was lost or refused. It is done if the line is the log's last;
// it is fenced if another stands in its place; neither if the log still ends before it.
func (l *log) settle(ctx context.Context, want line.Hash) (done bool, err error) {
	one, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	is, err := l.last(one)
	switch {
	case errors.Is(err, engine.ErrDamaged):
		return false, err
	case err != nil: // no server answers now
		return false, nil
	case is.seq == l.end.seq+1 && is.hash == want:
		l.end = is
		return true, nil
	case is.seq > l.end.seq:
		l.checked = false
		return false, engine.ErrFenced
	}
	return false, nil
}
