package store

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// save replaces a document.
func (r *Root) save(name string, v any) error {
	return config.WithDocument(v, func(text []byte) error { return r.saveText(name, text) })
}

// saveText replaces a file atomically and durably. It creates the folder only after a write failed without it, which
// keeps the usual case cheap.
func (r *Root) saveText(name string, text []byte) error {
	path := r.path(name)
	err := replace(path, text, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = replace(path, text, 0o644)
		}
	}
	return r.told(err)
}

// saveSoon replaces a derived document atomically but not durably: readers see all of the old or all of the new file,
// but a power failure may lose the new one.
func (r *Root) saveSoon(name string, text []byte) error {
	path := r.path(name)
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
	err := os.WriteFile(temp, text, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(temp, text, 0o644)
		}
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// load reads a document into v; if the file is missing, v is unchanged.
func (r *Root) load(name string, v any) error {
	text, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(text, v) == nil {
		return nil
	}
	return config.Decode(name, text, v) // decode again, for an error with the position
}

// now returns the time in the format of documents.
func now() string { return protocol.Stamp(time.Now()) }
