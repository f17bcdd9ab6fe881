//go:build !windows

package journal

import (
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// foldersSync says that a folder can be opened and synced like a file.
const foldersSync = true

// fullErrors are what the system says when there is no room.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT}

// replaceFile puts content in the place of the file at path, all or nothing.
func replaceFile(path string, content []byte) error {
	return renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(filepath.Dir(path)))
}
