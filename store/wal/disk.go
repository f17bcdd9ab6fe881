package wal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A Disk is the part of a file system that a log needs. Tests inject failures through it.
type Disk interface {
	Open(path string, flag int, perm fs.FileMode) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncFolder(path string) error
}

// A File is an open file of a Disk.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	Close() error
}

// OS is the disk of this machine.
type OS struct{}

// Open opens a file.
func (OS) Open(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename renames a file atomically, replacing the target.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove removes a file.
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncFolder makes the names in a folder durable. It does nothing on systems that cannot sync folders.
func (OS) SyncFolder(path string) error {
	if !foldersSync {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
