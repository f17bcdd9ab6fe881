package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"time"

	"agentleague/config"
)

// PutFile durably replaces a file of the tree with one from a backup. If private is set, only the owner can read
// the file and its folder.
func (r *Root) PutFile(name string, text []byte, private bool) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a name in a root", name)
	}
	mode, folder := fs.FileMode(0o644), fs.FileMode(0o755)
	if private {
		mode, folder = 0o600, 0o700
	}
	if err := os.MkdirAll(r.path(path.Dir(name)), folder); err != nil {
		return r.wrapFull(err)
	}
	if err := r.makeFolder(path.Dir(name)); err != nil { // it exists; this makes it durable
		return r.wrapFull(err)
	}
	if err := replace(r.path(name), text, mode); err != nil {
		return r.wrapFull(err)
	}
	if id, ok := leagueOfConfigFile(name); ok {
		r.config.ForgetLeague(id)
	}
	return r.wrapFull(syncFolder(r.path(path.Dir(name))))
}

// leagueOfConfigFile returns the id of the league whose settings file has that name; ok is false for other names.
func leagueOfConfigFile(name string) (id string, ok bool) {
	base := path.Base(name)
	id = base[:len(base)-len(path.Ext(base))]
	return id, config.ValidID(id) && name == config.LeagueFile(id)
}

// KeepBefore saves a copy of a document that is about to be replaced by text, and returns the copy's name. It
// makes no copy, and returns "", for a missing document, one that differs only in its timestamp, or unchanged
// default settings.
func (r *Root) KeepBefore(name string, text []byte) (kept string, err error) {
	was, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && (sameDocument(was, text) || isDefault(name, was)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	kept = name + ".before-" + time.Now().UTC().Format("20060102T150405")
	return kept, r.wrapFull(replace(r.path(kept), was, 0o644))
}

// isDefault reports whether a text is an unchanged default settings file.
func isDefault(name string, text []byte) (is bool) {
	id, _ := leagueOfConfigFile(name)
	_ = config.CreateLeagueFile(id, func(_ string, unchanged []byte) error { // it refuses the name of another document
		is = sameDocument(text, unchanged)
		return nil
	})
	return is
}

// sameDocument compares two documents, ignoring their timestamps.
func sameDocument(a, b []byte) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	delete(x, "last_updated")
	delete(y, "last_updated")
	return reflect.DeepEqual(x, y)
}

// Move records in the settings of a league that it was moved, with a description of its new place. Managers of this
// data directory no longer open it, but its files remain readable.
func (l Leagues) Move(id, to string) error {
	v, err := l.root.config.League(id)
	if err != nil {
		return err
	}
	v.Status, v.MovedTo, v.LastUpdated = config.Statuses[1], to, now()
	text, err := config.Document(v)
	if err != nil {
		return err
	}
	return l.root.PutFile(config.LeagueFile(id), text, false)
}
