package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Read yields the log from sequence from. It verifies the hash chain from the first line. Lines that this process has
// verified before are not read again.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		err := engine.CheckName(log)
		if err == nil {
			err = e.conn.enter(ctx)
		}
		if err != nil {
			yield(engine.Entry{}, fmt.Errorf("read %s: %w", log, e.conn.translate(err)))
			return
		}
		own := e.newLog(log) // the reader may append during the iteration
		own.end, own.checked = e.known(ctx, log, from)
		for entry, err := range own.follow(ctx, from) {
			if err != nil {
				e.found(ctx, log, err)
				yield(engine.Entry{}, fmt.Errorf("read %s: %w", log, e.conn.translate(err)))
				return
			}
			if !yield(entry, nil) {
				return
			}
		}
		e.read(ctx, log, own.end)
	}
}

// found stores damage that a reader detected, so that further appends fail.
func (e *Engine) found(ctx context.Context, name string, err error) {
	l := e.log(name)
	if errors.Is(err, engine.ErrDamaged) && l.enter(ctx) == nil {
		defer l.leave()
		l.damage = err
	}
}

// read stores the place up to which a reader has verified the log, so that the next append need not read it again.
func (e *Engine) read(ctx context.Context, name string, end place) {
	l := e.log(name)
	if l.enter(ctx) == nil {
		defer l.leave()
		if end.seq > l.end.seq || !l.checked && end.seq == l.end.seq {
			l.end, l.checked = end, true
		}
	}
}

// known returns the verified end of the log if that is before from: a reader can start there. Otherwise ok is false.
func (e *Engine) known(ctx context.Context, name string, from uint64) (end place, ok bool) {
	l := e.log(name)
	if from <= 1 || l.enter(ctx) != nil {
		return place{}, false
	}
	defer l.leave()
	if !l.checked || l.damage != nil || l.end.seq >= from {
		return place{}, false
	}
	return l.end, true
}

// follow yields the entries from sequence from up to the end of the log at the time of the call, and sets l.end to the
// last one.
func (l *log) follow(ctx context.Context, from uint64) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		if err := l.walk(ctx, from, yield); err != nil && !errors.Is(err, errEnough) {
			yield(engine.Entry{}, err)
		}
	}
}

// errEnough stops a walk whose consumer is done.
var errEnough = errors.New("enough")

// walk passes the entries from sequence from to yield, up to the end of the log at the time of the call. It verifies
// the hash chain, so the error names the first changed line.
func (l *log) walk(ctx context.Context, from uint64, yield func(engine.Entry, error) bool) error {
	want, to, err := l.bounds(ctx)
	if err != nil {
		return err
	}
	known := l.end
	if !l.checked || l.end.seq >= from {
		l.end = place{}
	}
	defer func() {
		if l.end.seq < known.seq { // it was not read to its end
			l.end, l.checked = known, false
		}
	}()
	pass := func(at uint64, text []byte) error {
		entry, err := l.step(at, text, want)
		if err == nil && entry.Seq >= from && !yield(entry, nil) {
			return errEnough
		}
		return err
	}
	if to.at > l.end.at {
		if err := l.messages(ctx, to.at, pass); err != nil {
			return err
		}
	}
	switch {
	case l.end.seq < want.seq:
		return l.damaged(l.end.seq+1, fmt.Sprintf("the log ends before its head: line %d was acknowledged", want.seq))
	case l.end.seq < known.seq:
		return l.damaged(l.end.seq+1, fmt.Sprintf("the log ends at %d, and %d was acknowledged", l.end.seq, known.seq))
	}
	l.checked = true
	return nil
}

// bounds returns the head of the log and then its end. A log with an end but no head may have been created between the
// two queries, so they are repeated once; after that it is damage.
func (l *log) bounds(ctx context.Context) (want head, to place, err error) {
	for range 2 {
		err = l.conn.retry(ctx, func(ctx context.Context) (err error) {
			want, to, err = l.ends(ctx)
			return err
		})
		if err != nil || to.seq == 0 || want.seq > 0 {
			return want, to, err
		}
	}
	return want, to, l.damaged(0, "the log's head is missing in "+l.conn.stream("HEAD")+", so nobody can tell whether the log is whole")
}

// ends queries the head of the log and then its end. If the log is empty and the head contains a first line, it writes
// that line.
func (l *log) ends(ctx context.Context) (want head, to place, err error) {
	if want, err = l.readHead(ctx); err != nil {
		return want, to, err
	}
	if to, err = l.last(ctx); err != nil || to.seq > 0 || want.first == nil {
		return want, to, err
	}
	if err = l.finish(ctx, want.first); err == nil {
		to, err = l.last(ctx)
	}
	return want, to, err
}

// step verifies the next line and advances l.end to it. at is the line's sequence in the stream.
func (l *log) step(at uint64, text []byte, want head) (engine.Entry, error) {
	r, err := line.Parse(text)
	next := l.end.seq + 1
	switch {
	case err != nil:
		return engine.Entry{}, l.damaged(next, err.Error())
	case r.Seq != next:
		return engine.Entry{}, l.damaged(next, fmt.Sprintf("the line that follows %d has seq %d", l.end.seq, r.Seq))
	case r.Prev != l.end.hash:
		return engine.Entry{}, l.damaged(next, fmt.Sprintf("its prev is not the SHA-256 of line %d: one of the two was changed", l.end.seq))
	case r.Seq == want.seq && r.Hash != want.hash:
		return engine.Entry{}, l.damaged(next, "its SHA-256 is not the one in the head: one of the two was changed")
	}
	l.end = place{r.Seq, r.Hash, at}
	l.conn.o.Copy(l.name, r.Seq, text)
	return engine.Entry{Mark: l.end.mark(), Data: bytes.Clone(r.Payload)}.WithText(text), nil
}

// messages passes every message of the log up to the stream sequence to. It uses a consumer, which reads from any
// replica, and requests lines that are missing or damaged there from the leader.
func (l *log) messages(ctx context.Context, to uint64, pass func(at uint64, text []byte) error) error {
	err := l.consume(ctx, to, pass)
	for err == nil && l.end.at < to || isTrouble(err) {
		l.damage = nil
		if err = l.next(ctx, pass); err != nil {
			return err
		}
	}
	return err
}

// errBehind means that a replica does not have the whole log yet.
var errBehind = errors.New("the replica is behind")

// isTrouble reports whether reading from another replica may succeed.
func isTrouble(err error) bool {
	return errors.Is(err, errBehind) || errors.Is(err, engine.ErrDamaged)
}

// next requests the next line from the leader and passes it on.
func (l *log) next(ctx context.Context, pass func(at uint64, text []byte) error) error {
	var m *jetstream.RawStreamMsg
	err := l.conn.retry(ctx, func(ctx context.Context) (err error) {
		m, err = l.stream.GetMsg(ctx, l.end.at+1, jetstream.WithGetMsgSubject(l.subject))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return l.damaged(l.end.seq+1, "the line is missing")
	}
	if err != nil {
		return err
	}
	return pass(m.Sequence, m.Data)
}

// batch is the number of messages that are fetched at once. Together they must stay below 64 MB, above which the NATS
// library drops messages of a slow reader.
const batch = 64

// consume passes messages from a consumer up to the stream sequence to. It returns errBehind if the consumer fails.
func (l *log) consume(ctx context.Context, to uint64, pass func(at uint64, text []byte) error) error {
	c, err := l.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{l.subject}, InactiveThreshold: 5 * time.Second,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: l.end.at + 1,
	})
	if err != nil {
		return errBehind // the leader may still answer
	}
	for l.end.at < to {
		got, err := c.Fetch(batch, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return errBehind
		}
		n := 0
		for m := range got.Messages() {
			n++
			meta, err := m.Metadata()
			if err != nil {
				return errBehind
			}
			if err := pass(meta.Sequence.Stream, m.Data()); err != nil || meta.Sequence.Stream >= to {
				return err
			}
		}
		if n == 0 {
			return errBehind
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
