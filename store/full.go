package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// FullError: retry after disk space is freed.
type FullError struct {
	Place string // the folder with the full disk
	Err   error  // the cause
}

// Error names the full disk and the remedy.
func (e *FullError) Error() string {
	return fmt.Sprintf("the disk that holds %s is full; free some space: %v", e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *FullError) Unwrap() error { return e.Err }

// isFull reports whether err means that the disk is full.
func isFull(err error) bool {
	is := func(e error) bool { return errors.Is(err, e) }
	return slices.ContainsFunc(fullErrors, is) || is(io.ErrShortWrite)
}
