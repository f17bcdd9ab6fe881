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

// A Document is a JSON file about one league, which is always replaced as a whole. Load and Save return an error
// for an invalid id.
type Document[T any] struct {
	root  *Root
	name  string
	bad   error                   // the id is invalid
	empty T                       // the content of a missing file
	text  func(T) ([]byte, error) // with the header of the file
}

func newDocument[T any](r *Root, league, file string, empty T, text func(T) ([]byte, error)) Document[T] {
	name, err := ofLeague(league, file)
	return Document[T]{root: r, name: name, bad: err, empty: empty, text: text}
}

// Load returns the content; a missing file reads as empty.
func (d Document[T]) Load() (T, error) {
	v := d.empty
	if d.bad != nil {
		return v, d.bad
	}
	err := d.root.load(d.name, &v)
	return v, err
}

// Save replaces the content durably, with the id of the league and the current time in it.
func (d Document[T]) Save(v T) error {
	if d.bad != nil {
		return d.bad
	}
	text, err := d.text(v)
	if err != nil {
		return err
	}
	return d.root.saveText(d.name, text)
}

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
	return r.wrapFull(err)
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

// ofLeague returns the name of a document about a whole league.
func ofLeague(league, document string) (string, error) {
	return "data/leagues/" + league + "/" + document, config.CheckID("league id", league)
}

// now returns the time in the format of documents.
func now() string { return protocol.Stamp(time.Now()) }
