package engine

import (
	"errors"
	"fmt"
)

// What an engine answers, to be asked for with [errors.Is].
var (
	// ErrFenced says that an append is not written: prev is not the log's last sequence.
	ErrFenced = errors.New("fenced: the log does not end there")

	// ErrDamaged says that a log lost or changed something that was acknowledged.
	ErrDamaged = errors.New("log is damaged")

	// ErrClosed says that the engine is closed.
	ErrClosed = errors.New("engine is closed")

	// ErrLost says that a claim ran out or was released, and may be somebody else's by now.
	ErrLost = errors.New("claim is lost")

	// ErrEmpty says that a batch has no bytes.
	ErrEmpty = errors.New("empty batch")

	// ErrName says that a name breaks the rules of [CheckName].
	ErrName = errors.New("bad name")

	// ErrLease says that a claim has no holder or no time to live.
	ErrLease = errors.New("a claim needs a holder and a ttl above zero")
)

// FullError says that a write found no room. As after any error nobody knows whether it was done; when
// there is room again it can be.
type FullError struct {
	Place string // what is full, in words: "the disk that holds SHARED/data"
	Err   error  // the cause
}

// Error names the place and the cause.
func (e *FullError) Error() string {
	return fmt.Sprintf("%s is full: %v", e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *FullError) Unwrap() error { return e.Err }

// AwayError is an [ErrDamaged] that can pass: what holds a log is not there, or not as it was left, since
// somebody has moved, deleted or cut it. Nothing is written in its place; when it is back the log goes on.
type AwayError struct {
	Place string // what holds the log: "SHARED/data/leagues/league_x/journal.jsonl"
	What  string // has become of it, in words: "was moved or deleted"
}

// Error says what became of the place.
func (e *AwayError) Error() string { return e.Place + " " + e.What }

// Unwrap returns [ErrDamaged].
func (e *AwayError) Unwrap() error { return ErrDamaged }

// HeldError refuses a claim on a key that somebody holds.
type HeldError struct {
	Key    string
	Holder string
}

// Error names the key and who holds it.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is held by %s", e.Key, e.Holder)
}
