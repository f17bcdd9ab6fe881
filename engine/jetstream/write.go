package jetstream

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
	"agentleague/engine/line"
)

// write appends a line to the log. It retries until the outcome is known or ctx ends.
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
		if !l.conn.pause(ctx) {
			return errors.Join(err, ctx.Err())
		}
	}
}

// publish sends a line once. The server rejects it unless the log still ends at l.end.
func (l *log) publish(ctx context.Context, text []byte) (*jetstream.PubAck, error) {
	one, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return l.conn.js.PublishMsg(one, &nats.Msg{Subject: l.subject, Data: text},
		jetstream.WithExpectStream(l.stream.CachedInfo().Config.Name), jetstream.WithExpectLastSequencePerSubject(l.end.at))
}

// settle determines the outcome of a line whose answer was lost or was a rejection. done is true if the line is the end
// of the log; the error is [engine.ErrFenced] if another line is in its place. With false and nil the caller retries.
func (l *log) settle(ctx context.Context, want line.Hash) (done bool, err error) {
	one, cancel := context.WithTimeout(ctx, requestTimeout)
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
