package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"agentleague/config"
)

// PutFile replaces a file of the tree, by its name in it, as it comes from a backup. It is on disk when PutFile returns.
// Only its owner can read one that is private, and the folder of such files.
func (r *Root) PutFile(name string, text []byte, private bool) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a name in a root", name)
	}
	mode, folder := fs.FileMode(0o644), fs.FileMode(0o755)
	if private {
		mode, folder = 0o600, 0o700
	}
	if err := os.MkdirAll(r.path(path.Dir(name)), folder); err != nil {
		return r.told(err)
	}
	if err := r.makeFolder(path.Dir(name)); err != nil { // it is there; this makes it stay
		return r.told(err)
	}
	if err := replace(r.path(name), text, mode); err != nil {
		return r.told(err)
	}
	if id, ok := leagueOf(name); ok {
		r.config.ForgetLeague(id)
	}
	return r.told(syncFolder(r.path(path.Dir(name))))
}

// leagueOf is the league whose settings a file is.
func leagueOf(name string) (id string, ok bool) {
	base := path.Base(name)
	id = base[:len(base)-len(path.Ext(base))]
	return id, config.ValidID(id) && name == config.LeagueFile(id)
}

// KeepBefore keeps a file that is about to be replaced by another text beside it, and returns the name of what it kept.
// A file that is not there, or says the same, needs none.
func (r *Root) KeepBefore(name string, text []byte) (kept string, err error) {
	was, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(was, text) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	kept = name + ".before-" + time.Now().UTC().Format("20060102T150405")
	return kept, r.told(replace(r.path(kept), was, 0o644))
}
