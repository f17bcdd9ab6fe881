package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// foldersSync reports whether a folder can be opened and synced like a file.
const foldersSync = false

// fullErrors are the system errors for a full disk: ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
var fullErrors = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}

// replaceFile replaces the file at path, as nearly atomically as Windows permits.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // no longer there if all went well
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
