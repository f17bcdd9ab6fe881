package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// keys is a key-value store in a stream. Unlike the one of the NATS library, which may read an outdated replica, it
// always queries the leader.
type keys struct {
	conn   *connection
	kind   string
	stream jetstream.Stream
}

// A value is the value of a key with its sequence in the stream; 0 means that the key has never had a value.
type value struct {
	data []byte
	at   uint64
}

// openKeys opens the stream that holds the last value of each key. It rejects a stream with size limits, because that
// would drop the oldest keys when it is full.
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

// get returns the newest value of a key; the zero value if it has none. It times out after requestTimeout, because a
// stream that has just changed its leader may never answer.
func (k *keys) get(ctx context.Context, name string) (value, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
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

// put replaces the value of a key if its sequence is still at, and returns the new sequence, or else errChanged. With a
// ttl above 0 the server deletes the new value after that time. After any other error the value may have been written.
func (k *keys) put(ctx context.Context, name string, at uint64, data []byte, ttl time.Duration) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
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
