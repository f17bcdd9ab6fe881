package engine

import (
	"errors"
	"fmt"
)

// Errors of an engine, for [errors.Is].
var (
	// ErrFenced means that an append is not written: prev is not the log's last sequence.
	ErrFenced = errors.New("fenced: the log does not end there")

	// ErrDamaged means that a log lost or changed acknowledged data.
	ErrDamaged = errors.New("log is damaged")

	// ErrClosed means that the engine is closed.
	ErrClosed = errors.New("engine is closed")

	// ErrLost means that a claim expired or was released, and that the key may have another holder.
	ErrLost = errors.New("claim is lost")

	// ErrEmpty means that a batch has no bytes.
	ErrEmpty = errors.New("empty batch")

	// ErrName means that a name breaks the rules of [CheckName].
	ErrName = errors.New("bad name")

	// ErrLease means that a claim has no holder or no time to live.
	ErrLease = errors.New("a claim needs a holder and a ttl above zero")
)

// FullError means that a write found no disk space. Its outcome is unknown, as after any error; retry after space is
// freed.
type FullError struct {
	Place string // the full device, in words: "the disk that holds SHARED/data"
	Err   error  // the cause
}

// Error names the place and the cause.
func (e *FullError) Error() string {
	return fmt.Sprintf("%s is full: %v", e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *FullError) Unwrap() error { return e.Err }

// AwayError is a temporary [ErrDamaged]: the file of a log was moved, deleted or truncated by another process. The
// engine writes nothing in its place; after the file is restored the log can be used again.
type AwayError struct {
	Place string // the file of the log: "SHARED/data/leagues/league_x/journal.jsonl"
	What  string // has become of it, in words: "was moved or deleted"
}

// Error describes the state of the file.
func (e *AwayError) Error() string { return e.Place + " " + e.What }

// Unwrap returns [ErrDamaged].
func (e *AwayError) Unwrap() error { return ErrDamaged }

// HeldError refuses a claim on a key that is held.
type HeldError struct {
	Key    string
	Holder string
}

// Error names the key and its holder.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is held by %s", e.Key, e.Holder)
}
