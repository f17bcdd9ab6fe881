//go:build !windows

package journal

import (
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// foldersSync reports whether a folder can be opened and synced like a file.
const foldersSync = true

// fullErrors are the system errors for a full disk or an exceeded quota.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}

// replaceFile replaces the file at path atomically.
func replaceFile(path string, content []byte) error {
	return renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(filepath.Dir(path)))
}
