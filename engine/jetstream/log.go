package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
	"agentleague/engine/line"
)

// log is the state of one log in this process.
type log struct {
	conn    *connection
	heads   *keys
	name    string
	subject string
	stream  jetstream.Stream
	turn    chan struct{} // has an element while a goroutine has the turn

	// The fields below belong to the goroutine that has the turn.
	end     place // the last line that is known to exist
	checked bool  // all lines up to end were read and fit each other
	damage  error // the damage found; nothing is appended to such a log
	head    value // its entry in LEAGUE_HEAD, as far as known
	headSeq uint64
}

// A place is a line of a log: its sequence, its hash and its sequence in the stream. The zero value is the end of an
// empty log.
type place struct {
	seq  uint64 // the line's own sequence
	hash line.Hash
	at   uint64 // the sequence of its message in the stream
}

// mark is the place in its exported form.
func (p place) mark() engine.Mark { return engine.Mark{Seq: p.seq, Hash: p.hash.String()} }

// enter takes the turn.
func (l *log) enter(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *log) leave() { <-l.turn }

// last queries the stream's leader for the end of the log. If that is before a line known to be acknowledged, the error
// is damage.
func (l *log) last(ctx context.Context) (place, error) {
	m, err := l.stream.GetLastMsgForSubject(ctx, l.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return place{}, l.reaches(place{})
	}
	if err != nil {
		return place{}, err
	}
	r, err := line.Parse(m.Data)
	if err != nil {
		return place{}, l.damaged(0, fmt.Sprintf("message %d of the stream: %v", m.Sequence, err))
	}
	end := place{r.Seq, r.Hash, m.Sequence}
	return end, l.reaches(end)
}

// reaches returns an error if end is before a line that this process knows to be acknowledged.
func (l *log) reaches(end place) error {
	switch {
	case end.seq < l.end.seq:
		return l.damaged(end.seq+1, fmt.Sprintf("the log ends at %d, and %d was acknowledged", end.seq, l.end.seq))
	case end.seq == l.end.seq && end.hash != l.end.hash:
		return l.damaged(end.seq, "the line is another than the one that was acknowledged")
	}
	return nil
}

// damaged records and returns damage at a line of the log.
func (l *log) damaged(seq uint64, what string) error {
	l.damage = &DamageError{Log: l.name, Stream: l.stream.CachedInfo().Config.Name, Seq: seq, What: what}
	return l.damage
}
