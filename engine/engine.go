// Package engine is the storage interface of a league: durable logs, leases, secrets and live messages.
//
//	owner ── Append(prev) ─▶ log ── Read ─▶ fold        all events, permanently
//	      ── Acquire(key) ─▶ lease                      the current owner
//	      ── Publish ─▶ subscribers                     live events, best effort
//
// A log is fenced by its own end: an append names the sequence it follows and is refused if another
// writer was there first. Leases only avoid duplicate work; two owners at once are slow, never wrong.
//
// Package enginetest tests every engine against the contract written here.
package engine

import (
	"bytes"
	"context"
	"iter"
	"time"
)

// Engine stores logs, leases and secrets and distributes live messages. All methods are safe for concurrent use. A
// method that takes a context returns soon after the context ends.
//
// Names of logs, lease keys, secrets and subjects must pass [CheckName]. After Close every method returns
// [ErrClosed].
type Engine interface {
	// Append writes batch as one entry after sequence prev, which is 0 for an empty log, and returns its mark: its
	// Seq is prev+1, its Hash is the one that Read yields. Without error the entry is durable. [ErrFenced] means that
	// it is certainly not written because prev is not the log's last sequence. After any other error the outcome is
	// unknown: read the log again before continuing. [FullError]: retry after disk space is freed; [AwayError]: retry
	// after the log's file is put back. A batch is any non-empty sequence of bytes; the engine keeps its own copy.
	Append(ctx context.Context, log string, prev uint64, batch []byte) (Mark, error)

	// Read yields the entries whose sequence is at least from, in order; 0 and 1 both mean all. It sees every entry
	// acknowledged before the iteration starts. An empty log yields nothing. An error is yielded once, last;
	// [ErrDamaged] means a log with a gap, a broken chain or a lost end. The caller owns the entries, and may use the
	// engine during the iteration.
	Read(ctx context.Context, log string, from uint64) iter.Seq2[Entry, error]

	// Acquire claims key for holder until ttl has passed or the claim is renewed or released. While the key is held,
	// even by the same holder, it returns a [HeldError].
	Acquire(ctx context.Context, key, holder string, ttl time.Duration) (Claim, error)

	// Holder returns the current holder of key; "" means none.
	Holder(ctx context.Context, key string) (string, error)

	// Secret returns the 32 random bytes of that name. The first call creates them; they never change and are in no
	// log.
	Secret(ctx context.Context, name string) ([]byte, error)

	// Publish sends b to all current subscribers of subject and never waits for them.
	Publish(subject string, b []byte) error

	// Subscribe returns the messages published to subject from now on. A subscriber that does not
	// keep up loses messages. The channel is closed when ctx ends or the engine closes.
	Subscribe(ctx context.Context, subject string) (<-chan []byte, error)

	// Close ends every subscription and closes the store. It does not release claims, which expire. Close is
	// idempotent.
	Close() error
}

// SecretSize is the length of every secret in bytes.
const SecretSize = 32

// Mark is a place in a log: the sequence of an entry, counted from 1 without gaps, and its hash. A stored mark shows
// later that neither the entry nor any before it was changed.
type Mark struct {
	Seq uint64

	// Hash is the SHA-256 of the entry as the engine stores it, in lower-case hex. The entry holds the
	// hash of the one before, so that this one covers all of the log up to here.
	Hash string
}

// Entry is one batch of a log and its place there.
type Entry struct {
	Mark
	Data []byte

	// Text is the entry as the engine stores it: Hash is its SHA-256. Only the first entry of a log has it.
	Text []byte
}

// WithText returns e with the text that the engine stores, if e is the first entry of its log.
func (e Entry) WithText(text []byte) Entry {
	if e.Seq == 1 {
		e.Text = bytes.Clone(text)
	}
	return e
}

// Line returns the entry in parts, for readers of a log that are independent of the engine.
func (e Entry) Line() (seq uint64, hash string, data []byte) { return e.Seq, e.Hash, e.Data }

// Claim is a lease on a key. It may expire without the holder's knowledge, so correctness must rest on the fencing of
// logs and not on claims.
type Claim interface {
	// Renew extends the claim to a full ttl from now. If the claim has expired, the error is [ErrLost].
	Renew(ctx context.Context) error

	// Release frees the key for the next holder. Releasing a lost claim does nothing.
	Release(ctx context.Context) error
}
