package files

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// FullError says that a file was not written because there is no room for it.
type FullError struct {
	Place string // the folder whose disk is full
	Err   error  // the cause
}

// Error says what is full and what to do.
func (e *FullError) Error() string {
	return fmt.Sprintf("the disk that holds %s is full; free some space: %v", e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *FullError) Unwrap() error { return e.Err }

// told makes an error that means that there is no room a [FullError].
func (r *Root) told(err error) error {
	full := func(e error) bool { return errors.Is(err, e) }
	if !slices.ContainsFunc(fullErrors, full) && !full(io.ErrShortWrite) {
		return err
	}
	return &FullError{Place: r.dir, Err: err}
}
