package jetstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// pool reads the CA certificates for the cluster's nodes.
func pool(text []byte) (*x509.CertPool, error) {
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(text) {
		return nil, errors.New("no certificate in it")
	}
	return p, nil
}

// stream is the name of a stream, such as LEAGUE_LOG_03.
func (e *Engine) stream(what string) string {
	return strings.ToUpper(strings.ReplaceAll(e.o.Prefix, ".", "_")) + "_" + what
}

// subject is the name under which something is published, such as league.log.03.<log>.
func (e *Engine) subject(kind, name string) string { return e.o.Prefix + "." + kind + "." + name }

// partition returns the stream of a log.
func (e *Engine) partition(log string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(log))
	return int(h.Sum32() % uint32(e.o.Partitions))
}

// openStreams finds the engine's streams, and makes those that are not there yet.
func (e *Engine) openStreams(ctx context.Context) error {
	for i := range e.o.Partitions {
		part := fmt.Sprintf("%02d", i)
		s, err := e.openStream(ctx, e.durable("LOG_"+part, e.subject("log", part+".>")))
		if err != nil {
			return err
		}
		e.parts = append(e.parts, s)
	}
	var err error
	if e.heads, err = e.openKeys(ctx, "head", e.durable("HEAD", e.subject("head", ">"))); err != nil {
		return err
	}
	if e.secrets, err = e.openKeys(ctx, "secret", e.durable("SECRET", e.subject("secret", ">"))); err != nil {
		return err
	}
	lease := e.durable("LEASE", e.subject("lease", ">"))
	lease.Storage, lease.AllowMsgTTL, lease.DenyDelete, lease.DenyPurge = jetstream.MemoryStorage, true, false, false
	e.leases, err = e.openKeys(ctx, "lease", lease)
	return err
}

// durable is a stream that never drops messages. When full it refuses new messages instead of dropping old ones,
// clients cannot delete from it, and only its leader is queried, since the others may be behind.
func (e *Engine) durable(what, subjects string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: e.stream(what), Subjects: []string{subjects}, Description: "league: do not edit",
		Storage: jetstream.FileStorage, Replicas: e.o.Replicas, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardNew, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1,
		DenyDelete: true, DenyPurge: true, Duplicates: 2 * time.Minute,
		Metadata: map[string]string{"league_partitions": strconv.Itoa(e.o.Partitions)},
	}
}

// openStream finds or creates a stream, and refuses one with unsuitable settings.
func (e *Engine) openStream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := e.findStream(ctx, want)
	if err != nil {
		return nil, err
	}
	return s, checkStream(s.CachedInfo().Config, want)
}

// findStream finds or creates a stream. A cluster whose nodes have just started needs a while to elect a leader.
func (e *Engine) findStream(ctx context.Context, want jetstream.StreamConfig) (s jetstream.Stream, err error) {
	err = e.retry(ctx, func(ctx context.Context) (err error) {
		s, err = e.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = e.js.CreateStream(ctx, want)
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was first
			s, err = e.js.Stream(ctx, want.Name)
		}
		return err
	})
	if err != nil {
		return nil, e.cannotMake(want, err)
	}
	return s, nil
}

// checkStream describes the settings of a stream that could lose acknowledged data.
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

// cannotMake explains in plain words why a stream cannot be created.
func (e *Engine) cannotMake(want jetstream.StreamConfig, err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == errNoPeers || api.ErrorCode == errInsufficient || api.ErrorCode == errNotClustered) {
		return fmt.Errorf("stream %s needs %d servers with JetStream and the cluster has fewer, or no room on them (%w); "+
			"start the missing ones, or give replicas=1 to try things out on one", want.Name, want.Replicas, err)
	}
	return fmt.Errorf("stream %s: %w", want.Name, err)
}

// JetStream error codes that the library has no name for.
const (
	errNoPeers      = 10005 // no suitable peers for placement
	errInsufficient = 10023 // insufficient resources
	errNotClustered = 10074 // replicas > 1 not supported in non-clustered mode
	errStorage      = 10047 // insufficient storage resources available
	errMemory       = 10028 // insufficient memory resources available
	errLimits       = 10002 // resource limits exceeded for account
	errStore        = 10077 // the store failed, with a reason
)

// isFull reports whether an operation was refused for lack of space.
func isFull(api *jetstream.APIError) bool {
	switch api.ErrorCode {
	case errStorage, errMemory, errLimits, errInsufficient:
		return true
	case errStore:
		return strings.Contains(api.Description, "maximum") || strings.Contains(api.Description, "space")
	}
	return false
}
