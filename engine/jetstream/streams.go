package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// durable returns the configuration of a stream that never drops messages: it rejects new messages when it is full,
// clients cannot delete from it, and reads go to its leader, since replicas may be behind.
func (c *connection) durable(what, subjects string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: c.stream(what), Subjects: []string{subjects}, Description: "league: do not edit",
		Storage: jetstream.FileStorage, Replicas: c.o.Replicas, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardNew, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1,
		DenyDelete: true, DenyPurge: true, Duplicates: 2 * time.Minute,
		Metadata: map[string]string{"league_partitions": strconv.Itoa(c.o.Partitions)},
	}
}

// openStream finds or creates a stream. It returns an error if the settings of an existing one could lose data.
func (c *connection) openStream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := c.findStream(ctx, want)
	if err != nil {
		return nil, err
	}
	return s, checkStream(s.CachedInfo().Config, want)
}

// findStream finds or creates a stream. It retries, because nodes that have just started need time to elect a leader.
func (c *connection) findStream(ctx context.Context, want jetstream.StreamConfig) (s jetstream.Stream, err error) {
	err = c.retry(ctx, func(ctx context.Context) (err error) {
		s, err = c.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = c.js.CreateStream(ctx, want)
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was first
			s, err = c.js.Stream(ctx, want.Name)
		}
		return err
	})
	if err != nil {
		return nil, cannotMake(want, err)
	}
	return s, nil
}

// checkStream returns an error if the settings of a stream could lose acknowledged data.
func checkStream(is, want jetstream.StreamConfig) error {
	var wrong string
	switch {
	case is.Metadata["league_partitions"] != want.Metadata["league_partitions"]:
		wrong = fmt.Sprintf("belongs to %s partitions and not to %s: give partitions=%[1]s",
			is.Metadata["league_partitions"], want.Metadata["league_partitions"])
	case is.Storage != want.Storage:
		wrong = fmt.Sprintf("is kept in %s storage, want %s", is.Storage, want.Storage)
	case is.Replicas < want.Replicas:
		wrong = fmt.Sprintf("has %d replicas, want %d; raise them with the NATS tool", is.Replicas, want.Replicas)
	case is.PersistMode == jetstream.AsyncPersistMode:
		wrong = "has persist_mode async, which acknowledges before it writes; make it anew without"
	case is.MaxAge != 0 || is.MaxMsgs > 0 || is.MaxMsgsPerSubject > 0 && is.MaxMsgsPerSubject != want.MaxMsgsPerSubject:
		wrong = "drops old messages by age or number; take these limits away"
	case is.Discard != jetstream.DiscardNew && want.Storage == jetstream.FileStorage:
		wrong = "drops old messages when it is full; set its discard policy to new"
	case is.Retention != jetstream.LimitsPolicy, is.Mirror != nil, len(is.Sources) > 0, is.NoAck:
		wrong = "is a work queue, a mirror, or does not acknowledge; give another prefix"
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("stream %s %s", is.Name, wrong)
}

// cannotMake wraps the error of creating a stream with an explanation and advice.
func cannotMake(want jetstream.StreamConfig, err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == errNoPeers || api.ErrorCode == errInsufficient || api.ErrorCode == errNotClustered) {
		return fmt.Errorf("stream %s needs %d servers with JetStream and the cluster has fewer, or no room on them (%w); "+
			"start the missing ones, or give replicas=1 to try things out on one", want.Name, want.Replicas, err)
	}
	return fmt.Errorf("stream %s: %w", want.Name, err)
}
