package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// fullErrors are the system's errors for a full disk or quota: ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
var fullErrors = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}

// replace writes a file atomically: readers see all of the old text or all of the new one.
func replace(path string, text []byte, perm fs.FileMode) error {
	temp, err := writeTemp(path, text, perm)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// syncFolder does nothing: Windows persists the names of files without a request.
func syncFolder(string) error { return nil }
