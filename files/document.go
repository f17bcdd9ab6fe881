package files

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A List is written as [] when it is nil: those who read our files walk over it.
type List[T any] []T

// MarshalJSON writes the list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return plain([]T(l), "")
}

// document returns v as it stands in a file.
func document(v any) ([]byte, error) { return plain(v, "  ") }

// plain writes v as JSON that leaves <, > and & as they are.
func plain(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// save replaces the document of that name.
func (r *Root) save(name string, v any) error {
	text, err := document(v)
	if err != nil {
		return err
	}
	return r.saveText(name, text)
}

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

// saveSoon replaces a document that can be had again: whoever reads sees all of the old file or all of the new one, but the
// new one may be lost with the machine.
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
	_, err = decode(name, text, v) // again, for an error that says where
	return err
}
