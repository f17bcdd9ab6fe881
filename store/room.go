package store

import (
	"errors"
	"io/fs"
	"os"
)

// spare is the free space in bytes below which a disk counts as full: enough for a few files.
const spare = 32 << 10

// Room returns a [FullError] if there is no disk space for a few more files, which it tests with a temporary file.
// It is safe for concurrent use, also by several processes.
func (r *Root) Room() error {
	r.looking.Lock()
	defer r.looking.Unlock()
	path := r.path("data/.room")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return r.wrapFull(err)
	}
	_, err = f.Write(make([]byte, spare))
	err = errors.Join(err, f.Close())
	if gone := os.Remove(path); !errors.Is(gone, fs.ErrNotExist) { // another process may have been faster
		err = errors.Join(err, gone)
	}
	return r.wrapFull(err)
}
