package files

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

// save replaces the document of that name.
func (r *Root) save(name string, v any) error {
	return config.WithDocument(v, func(text []byte) error { return r.saveText(name, text) })
}

// saveText replaces a file whole or not at all. The folder is made only where writing fails for want of it, which
// costs the usual case nothing.
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

// saveSoon replaces a document that can be had again: whoever reads sees all of the old file or all of the new one, but
// the new one may be lost with the machine.
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

// load reads the document of that name into v, which stays as it is when there is none.
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
	return config.Decode(name, text, v) // again, for an error that says where
}

// now returns the time as documents have it.
func now() string { return protocol.Stamp(time.Now()) }
