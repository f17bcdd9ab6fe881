package store

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// create writes a new file atomically, with its content synced. Its name is durable only after the caller has synced
// the folder. If the file exists, also by a concurrent call, it returns [fs.ErrExist] and leaves it unchanged.
func create(path string, text []byte, perm fs.FileMode) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	temp, err := writeTemp(path, text, perm)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	return publish(temp, path, os.Link)
}

// publish moves a complete temporary file to path by calling link, which must return an error if path exists. If hard
// links are not supported it renames the file; then concurrent writers may overwrite each other.
func publish(temp, path string, link func(from, to string) error) error {
	err := link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(temp, path)
}

// writeTemp writes text durably to a hidden file beside path, and returns its name.
func writeTemp(path string, text []byte, perm fs.FileMode) (string, error) {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp))
	}
	return temp, nil
}
