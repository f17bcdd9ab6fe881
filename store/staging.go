package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// A Staging collects the files of one league in a temporary folder of the data directory, until all of them are on
// disk. It is not safe for concurrent use.
//
//	NewStaging ─▶ Put, Put, … ─▶ Place ─▶ Close
//	                               └─ Undo, if a later step fails
type Staging struct {
	root    *Root
	dir     string
	waiting []staged
	undo    []func() error
}

// A staged is a file that Place has yet to rename.
type staged struct {
	name, path string
	folder     fs.FileMode
}

// NewStaging creates a temporary folder for the files of a league. It first removes one that a killed process left.
func NewStaging(r *Root, league string) (*Staging, error) {
	s := &Staging{root: r, dir: r.path("data/.restore-" + league)}
	err := os.RemoveAll(s.dir)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	return s, r.wrapFull(err)
}

// Put durably writes a file into the temporary folder, under its name in the data directory. If private is set, only
// the owner can read the file and its folder.
func (s *Staging) Put(name string, private bool, write func(io.Writer) error) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a name in a root", name)
	}
	one := staged{name: name, path: filepath.Join(s.dir, strconv.Itoa(len(s.waiting))), folder: 0o755}
	mode := fs.FileMode(0o644)
	if private {
		mode, one.folder = 0o600, 0o700
	}
	f, err := os.OpenFile(one.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return s.root.wrapFull(err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	s.waiting = append(s.waiting, one)
	return s.root.wrapFull(errors.Join(err, f.Close()))
}

// Place renames all files to their places. It keeps the replaced files until Close, for Undo.
func (s *Staging) Place() error {
	folders := map[string]bool{}
	for _, one := range s.waiting {
		if err := s.place(one); err != nil {
			return s.root.wrapFull(err)
		}
		if id, ok := leagueOfConfigFile(one.name); ok {
			s.root.config.ForgetLeague(id)
		}
		folders[path.Dir(one.name)] = true
	}
	s.waiting = nil
	for name := range folders {
		err := s.root.makeFolder(name) // it exists; this makes it durable
		if err == nil {
			err = syncFolder(s.root.path(name))
		}
		if err != nil {
			return s.root.wrapFull(err)
		}
	}
	return nil
}

// place renames one file to its place.
func (s *Staging) place(one staged) error {
	to := s.root.path(one.name)
	if err := s.makeFolders(filepath.Dir(to), one.folder); err != nil {
		return err
	}
	before := one.path + ".before"
	switch err := os.Rename(to, before); {
	case err == nil:
		s.undo = append(s.undo, func() error { return os.Rename(before, to) })
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.Rename(one.path, to); err != nil {
		return err
	}
	s.undo = append(s.undo, func() error { return os.Remove(to) })
	return nil
}

// makeFolders creates a folder and its missing ancestors.
func (s *Staging) makeFolders(folder string, mode fs.FileMode) error {
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.makeFolders(filepath.Dir(folder), mode); err != nil {
		return err
	}
	if err := os.Mkdir(folder, mode); err != nil {
		return err
	}
	s.undo = append(s.undo, func() error { return os.Remove(folder) })
	return nil
}

// Made adds a file to those that Undo removes.
func (s *Staging) Made(name string) {
	s.undo = append(s.undo, func() error { return os.Remove(s.root.path(name)) })
}

// Undo restores the state of the data directory before Place. It keeps a folder that has other files by now.
func (s *Staging) Undo() error {
	var all error
	for _, back := range slices.Backward(s.undo) {
		if err := back(); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			all = errors.Join(all, err)
		}
	}
	s.undo = nil
	return all
}

// Close removes the temporary folder with all files that were not placed.
func (s *Staging) Close() error { return os.RemoveAll(s.dir) }
