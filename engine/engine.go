// Package engine is where a league keeps its truth: durable logs, leases, secrets and live messages.
//
//	owner ── Append(prev) ─▶ log ── Read ─▶ fold        what happened, for ever
//	      ── Acquire(key) ─▶ lease                      who works on it now
//	      ── Publish ─▶ subscribers                     what just happened, best effort
//
// A log is fenced by its own end: an append names the sequence it follows and is refused when another
// writer was there first. Leases only save work; two owners at once are slow, never wrong.
//
// Package enginetest holds every engine to the laws written here.
package engine

import (
	"bytes"
	"context"
	"iter"
	"time"
)

// Engine keeps logs, leases and secrets and passes live messages on. All methods may be called from
// many goroutines at once. A method that takes a context returns soon after the context ends.
//
// Logs, lease keys, secrets and subjects are named as [CheckName] says. After Close every method
// answers [ErrClosed].
type Engine interface {
	// Append writes batch as one entry after sequence prev, which is 0 for an empty log, and returns
	// where it stands: its Seq is prev+1, its Hash is the one that Read yields. Without error the entry is durable.
	// [ErrFenced] says that it is certainly not written because prev is not the log's last sequence. After any other error
	// the outcome is unknown: read the log again before going on. A [FullError] is one that passes when somebody makes
	// room, an [AwayError] one that passes when somebody puts back what was taken away. A batch is any bytes, but not
	// none; the engine keeps its own copy.
	Append(ctx context.Context, log string, prev uint64, batch []byte) (Mark, error)

	// Read yields the entries whose sequence is at least from, in order; 0 and 1 both mean all. It
	// sees every entry acknowledged before it is ranged over. A log without entries yields nothing.
	// An error is yielded once, last; [ErrDamaged] names a log with a gap, a broken chain or a lost
	// end. The caller owns what it reads, and may use the engine while it ranges.
	Read(ctx context.Context, log string, from uint64) iter.Seq2[Entry, error]

	// Acquire claims key for holder until ttl has passed or the claim is renewed or released. While
	// anybody holds the key, the same holder included, it answers a [HeldError].
	Acquire(ctx context.Context, key, holder string, ttl time.Duration) (Claim, error)

	// Holder tells who holds key now; "" means nobody.
	Holder(ctx context.Context, key string) (string, error)

	// Secret returns the 32 random bytes of that name: made once, the same ever after, in no log.
	Secret(ctx context.Context, name string) ([]byte, error)

	// Publish offers b to everyone who is subscribed to subject now and never waits for them.
	Publish(subject string, b []byte) error

	// Subscribe returns the messages published to subject from now on. A subscriber that does not
	// keep up loses messages. The channel is closed when ctx ends or the engine closes.
	Subscribe(ctx context.Context, subject string) (<-chan []byte, error)

	// Close ends every subscription and lets go of the store. Claims are not released: they run out.
	// Closing again does nothing.
	Close() error
}

// SecretSize is the length of every secret in bytes.
const SecretSize = 32

// Mark is a place in a log: an entry by its sequence, counted from 1 without gaps, and by what it says.
// Who notes a mark can tell later that neither the entry nor any before it was changed.
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

// Line returns the entry in parts, as those want it who read a log and need not know who keeps it.
func (e Entry) Line() (seq uint64, hash string, data []byte) { return e.Seq, e.Hash, e.Data }

// Claim is a key held for a while. It is about liveness only: a holder may lose it without knowing,
// so nothing may rest on it that fencing does not also protect.
type Claim interface {
	// Renew holds the key for another full ttl from now, or answers [ErrLost].
	Renew(ctx context.Context) error

	// Release frees the key for the next holder. Releasing a lost claim does nothing.
	Release(ctx context.Context) error
}
