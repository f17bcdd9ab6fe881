package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// keys are values by name in a stream that keeps the newest of each. The library's own key-value store reads from
// any replica, which may be behind; this one asks the leader.
type keys struct {
	conn   *connection
	kind   string
	stream jetstream.Stream
}

// A value is the value of a key, and its place in the stream; 0 means none.
type value struct {
	data []byte
	at   uint64
}

// openKeys opens the stream that holds the last value of each key. A stream with limits is refused: it would forget
// the oldest keys when it is full.
func (c *connection) openKeys(ctx context.Context, kind string, want jetstream.StreamConfig) (*keys, error) {
	want.MaxMsgsPerSubject, want.Discard = 1, jetstream.DiscardOld // of one subject: the value before
	want.DenyPurge, want.DenyDelete = false, false
	s, err := c.findStream(ctx, want)
	if err != nil {
		return nil, err
	}
	is := s.CachedInfo().Config
	is.Discard = jetstream.DiscardNew // as far as all messages of the stream count
	if is.MaxBytes > 0 || is.MaxMsgs > 0 {
		return nil, fmt.Errorf("stream %s drops old messages when it is full; take its limits away", want.Name)
	}
	return &keys{c, kind, s}, checkStream(is, want)
}

// get returns the newest value of a key. It waits for one answer no longer than for one try: of a stream that has just
// got another leader none may ever come.
func (k *keys) get(ctx context.Context, name string) (value, error) {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	m, err := k.stream.GetLastMsgForSubject(ctx, k.conn.subject(k.kind, name))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return value{}, nil
	}
	if err != nil {
		return value{}, err
	}
	if m.Header.Get("Nats-Marker-Reason") != "" { // the server's own note that a value ran out
		return value{at: m.Sequence}, nil
	}
	return value{m.Data, m.Sequence}, nil
}

// put replaces the value that stands at a place. With a ttl the new one is gone when that has passed. It waits as long
// as get does; after an error other than errChanged the value may stand there.
func (k *keys) put(ctx context.Context, name string, at uint64, data []byte, ttl time.Duration) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	o := []jetstream.PublishOpt{
		jetstream.WithExpectStream(k.stream.CachedInfo().Config.Name), jetstream.WithExpectLastSequencePerSubject(at),
	}
	if ttl > 0 {
		o = append(o, jetstream.WithMsgTTL(ttl))
	}
	ack, err := k.conn.js.PublishMsg(ctx, &nats.Msg{Subject: k.conn.subject(k.kind, name), Data: data}, o...)
	if isWrongLast(err) {
		return 0, errChanged
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
