package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// A Restorer is an engine that can import the log of another engine line by line, so that the hashes stay the same,
// which players have noted and signed. Every engine of this module is a Restorer.
type Restorer interface {
	// Restore writes lines, each as package line has it and less its newline, as the entries of a log, and returns
	// the mark of its end. All of them are checked before the first is written: form, hashes, sequence from 1 on.
	// The log has to be empty, or to hold a beginning of these lines, of which the rest is then written; any other is
	// [ErrTaken] and left alone. Without error everything is durable. After an error the log holds a
	// beginning of the lines, which may be empty, and the same call goes on there.
	Restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (Mark, error)

	// PutSecret makes secret the one of that name, durably. If there is one already it has to be the same:
	// another is [ErrTaken], and stays. A secret has [SecretSize] bytes.
	PutSecret(ctx context.Context, name string, secret []byte) error
}

// ErrTaken means that a log or a secret cannot be restored because a different one exists.
var ErrTaken = errors.New("there is another in its place")

// CheckSecret returns why secret cannot be stored under name, independent of the existing one.
func CheckSecret(name string, secret []byte) error {
	if len(secret) != SecretSize {
		return fmt.Errorf("a secret has %d bytes, got %d", SecretSize, len(secret))
	}
	return CheckName(name)
}
