package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// fullErrors are what the system says when there is no room: ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
var fullErrors = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}

// replace puts text at path: whoever reads sees all of the old file or all of the new one.
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

// syncFolder does nothing: this system keeps the names of files by itself, and cannot be asked to.
func syncFolder(string) error { return nil }
