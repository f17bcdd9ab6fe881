package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"agentleague/engine"
)

// roomFile is a temporary file that is written to test for free disk space.
const roomFile = "journal.room"

// leastRoom is the minimum of free bytes with which a log continues after the disk was full. Less would soon be used up
// by the next entry and by other files.
const leastRoom = 16 << 10

// translate converts an error for a full disk into a [engine.FullError].
func (s *shared) translate(err error) error {
	if !noRoom(err) {
		return err
	}
	return &engine.FullError{Place: "the disk that holds " + s.dir, Err: err}
}

// noRoom reports whether an operation failed because the disk or a quota is full.
func noRoom(err error) bool {
	return slices.ContainsFunc(fullErrors, func(full error) bool {
		return errors.Is(err, full)
	}) || errors.Is(err, io.ErrShortWrite)
}

// probeSpace returns an error if the disk was full and still has too little space.
func (l *log) probeSpace() error {
	if l.lacks == 0 {
		return nil
	}
	path := filepath.Join(l.folder, roomFile)
	if err := l.disk.replace(path, make([]byte, l.lacks)); err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	l.lacks = 0
	return nil
}

// failed closes the file after a failed write, so that the next operation truncates the line, and returns err. If the
// disk is full, it also records how much space the log waits for.
func (l *log) failed(err error) error {
	if noRoom(err) {
		l.lacks = max(leastRoom, 2*len(l.line))
	}
	l.torn = true
	return errors.Join(err, l.shut())
}
