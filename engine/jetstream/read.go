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

// Read yields the log from sequence from on. It verifies every line from the first, since one hash covers all before
// it; lines that this process has already verified are not read again.
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

// found remembers damage that a reader met, so that nothing is appended behind it.
func (e *Engine) found(ctx context.Context, name string, err error) {
	l := e.log(name)
	if errors.Is(err, engine.ErrDamaged) && l.enter(ctx) == nil {
		defer l.leave()
		l.damage = err
	}
}

// read remembers how far a reader found the log whole, so that it need not be read again before the next append.
func (e *Engine) read(ctx context.Context, name string, end place) {
	l := e.log(name)
	if l.enter(ctx) == nil {
		defer l.leave()
		if end.seq > l.end.seq || !l.checked && end.seq == l.end.seq {
			l.end, l.checked = end, true
		}
	}
}

// known returns the last line before from up to which this process has verified the log, if any.
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

// follow yields the entries from sequence from on and leaves l.end behind the last. It determines the end of the log
// before it begins, and reads up to there.
func (l *log) follow(ctx context.Context, from uint64) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		if err := l.walk(ctx, from, yield); err != nil && !errors.Is(err, errEnough) {
			yield(engine.Entry{}, err)
		}
	}
}

// errEnough stops a walk whose consumer is done.
var errEnough = errors.New("enough")

// walk yields the entries after from, up to the end at the moment of the call. Each is held against the hash of the
// one before, so a log that was changed fails where it was.
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

// bounds returns the head of the log, and its end, which is queried afterwards. A log that has an end and no head may
// have been begun in between, and is queried again.
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

// ends asks for the head, and then for the end. A first line that was noted and not written is written now.
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

// step accepts the next line, or returns the error in it.
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

// messages yields every message of the log up to a place in the stream. Most of them come from a consumer, which
// reads from any replica; lines that it lacks or has wrong are requested from the leader.
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

// errBehind means that a replica does not have all of the log yet.
var errBehind = errors.New("the replica is behind")

// isTrouble reports whether another replica may have better data.
func isTrouble(err error) bool {
	return errors.Is(err, errBehind) || errors.Is(err, engine.ErrDamaged)
}

// next passes the line after the end, as the leader has it.
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

// batch is how many messages are fetched at once: so few that together they are less than the 64 MB which the library
// keeps for a slow reader, since of more it drops some, and finds that out after seconds.
const batch = 64

// consume passes messages as a consumer delivers them.
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
