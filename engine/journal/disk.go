package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is the part of the file system that a log uses, which tests replace to inject failures.
type disk interface {
	open(path string, flag int) (file, error)
	replace(path string, content []byte) error // at once and durably
	stat(path string) (fs.FileInfo, error)
}

// file is a journal that is open.
type file interface {
	ReadAt(b []byte, at int64) (int, error)
	WriteAt(b []byte, at int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// osDisk is the real one.
type osDisk struct{}

// open opens a file. It returns a nil interface with an error, not a nil *os.File in one.
func (osDisk) open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// replace replaces a file as a whole; after a power cut it is the old one or the new one. The folder is synced too,
// or the new name could be lost.
func (osDisk) replace(path string, content []byte) error {
	if err := replaceFile(path, content); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder creates path and its missing parents durably.
func makeFolder(path string, perm fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeFolder(parent, 0o755); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// syncFolders makes the names in path and in the folders above it durable, up to and with top. A process
// that died may have made them and not come to this.
func syncFolders(path, top string) error {
	for {
		if err := syncFolder(path); err != nil {
			return err
		}
		if path == top || path == filepath.Dir(path) {
			return nil
		}
		path = filepath.Dir(path)
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	if !foldersSync {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // EINVAL: this file system syncs no folders
		return err
	}
	return nil
}
