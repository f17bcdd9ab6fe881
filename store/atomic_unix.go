//go:build !windows

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// fullErrors are the system's errors for a full disk or quota.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}

// replace writes a file atomically: readers see all of the old text or all of the new one.
func replace(path string, text []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, text, perm, renameio.WithTempDir(filepath.Dir(path)))
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
