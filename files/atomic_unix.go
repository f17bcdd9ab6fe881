//go:build !windows

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// fullErrors are what the system says when there is no room.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}

// replace puts text at path: whoever reads sees all of the old file or all of the new one.
func replace(path string, text []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, text, perm, renameio.WithTempDir(filepath.Dir(path)))
}

// syncFolder returns once the names in a folder are on disk.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
