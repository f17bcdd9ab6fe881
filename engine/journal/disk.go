package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is the part of the file system that a log uses. Tests replace it to inject failures.
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

// open opens a file. With an error it returns a nil interface, and not an interface that contains a nil *os.File.
func (osDisk) open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// replace atomically replaces the content of a file: after a power cut the file has the old or the new content. It also
// syncs the folder, since a new name could be lost otherwise.
func (osDisk) replace(path string, content []byte) error {
	if err := replaceFile(path, content); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder creates a folder and its missing parents, and syncs their names to disk.
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

// syncFolders syncs the folder path and its parents up to and including top. They may have been created by a process
// that crashed before it synced them.
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

// syncFolder syncs the directory entries of a folder to disk, where the system supports that.
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
