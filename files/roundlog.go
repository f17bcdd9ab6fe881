package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
)

// A roundLog keeps records as lines of the round files of one folder.
//
//	stage ──▶ seal ──▶ commit: one write and one sync for all that were sealed ──▶ get
//
// Its methods may be called from many goroutines at once. One process at a time appends to a folder, which the locks of
// its agents see to; others may read it meanwhile.
type roundLog struct {
	root   *Root
	folder string // in the root

	looked sync.Once   // for records that are files of their own
	files  atomic.Bool // there are some

	mu      sync.Mutex
	open    []*round // the files that were used last, the newest first
	appends bool     // this process has written to the folder, so that nobody else does
}

// maxRounds is how many files of a folder are open, with their indexes in memory: rounds follow each other, and
// overlap.
const maxRounds = 3

// errOther says that a line would be a second record of the same attempt.
var errOther = errors.New("there is already another record of this attempt")

// loose reports whether records in the folder are files of their own. Whoever keeps the folder looks once: it knows
// what it has written since.
func (l *roundLog) loose() bool {
	l.looked.Do(func() {
		list, err := entries(l.root.path(l.folder))
		if err != nil || slices.ContainsFunc(list, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".json" }) {
			l.files.Store(true)
		}
	})
	return l.files.Load()
}

// get returns a record that is on disk, or [fs.ErrNotExist]. Where a line is damaged, any record that is not found may
// be the one, and get fails with an error that names the line.
func (l *roundLog) get(key lineKey) ([]byte, error) {
	document, _, err := l.hashed(key)
	return document, err
}

// hashed is get, and returns the SHA-256 of the record as well.
func (l *roundLog) hashed(key lineKey) (document []byte, hash [sha256.Size]byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.load(key.match)
	if err != nil {
		return nil, hash, err
	}
	if s, ok := r.index.at[key]; ok {
		document, err = s.read(r.name, r.file)
		return document, s.hash, err
	}
	if r.index.damage != nil {
		return nil, hash, r.index.damage
	}
	return nil, hash, fs.ErrNotExist
}

// has reports whether there is a record that has that SHA-256 by its line. The record itself is not read.
func (l *roundLog) has(key lineKey, hash [sha256.Size]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.load(key.match)
	s, ok := r.index.at[key]
	return err == nil && ok && s.hash == hash
}

// add writes records, of different matches, each in place of the one that its match had. Those of a round that come one
// after the other are written at once. It does not wait for the disk. After an error some of them may be there.
func (l *roundLog) add(records ...sealedLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.appends = true
	for len(records) > 0 {
		r, err := l.load(records[0].key.match)
		if err != nil {
			return err
		}
		n := 0
		for ; n < len(records) && roundOf(records[n].key.match) == r.n; n++ {
			r.staged.add(lineKey{match: records[n].key.match}, records[n].hash, records[n].document)
		}
		r.staged, r.sealed = r.sealed, r.staged
		if err := r.write(l.root); err != nil {
			r.letGo()
			return err
		}
		r.settle()
		records = records[n:]
	}
	return nil
}

// stage has a record written by the next commit, unless it is there already. Another one of the same key is an error.
// Hash is that of the document. With is called before a record is staged, and belongs to the same commit.
func (l *roundLog) stage(key lineKey, document []byte, hash [sha256.Size]byte, with func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.appends = true
	r, err := l.load(key.match)
	if err != nil {
		return err
	}
	s, there := r.known(key)
	switch {
	case there && s.hash != hash:
		return fmt.Errorf("%s: match %s, attempt %d: %w", r.name, key.match, key.attempt, errOther)
	case there:
		return nil
	case r.index.damage != nil:
		return r.index.damage // it may be the record that is to be kept
	}
	if err := with(); err != nil {
		return err
	}
	r.staged.add(key, hash, document)
	return nil
}

// seal ends what the next commit writes. First is done with it: if that fails nothing is committed.
func (l *roundLog) seal(first func() (*os.File, error)) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := first()
	for _, r := range l.open {
		if err == nil && len(r.staged.at) > 0 {
			r.staged, r.sealed = r.sealed, r.staged
		}
	}
	return file, err
}

// commit writes what is sealed and returns once that is on disk, with everything before it. After an error nothing of
// it counts, and it is to be staged again. One commit runs at a time; others may stage and get while it waits for the
// disk.
func (l *roundLog) commit() (failed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range slices.Clone(l.open) {
		err := r.write(l.root)
		if err == nil && r.unsynced && r.file != nil {
			err = l.sync(r)
		}
		if err != nil {
			r.letGo()
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.name, err))
			continue
		}
		r.unsynced = false
		r.settle()
	}
	return failed
}

// kept fails unless a record is on disk.
func (l *roundLog) kept(key lineKey) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.load(key.match)
	if _, ok := r.index.at[key]; err == nil && !ok {
		err = fmt.Errorf("%s: match %s, attempt %d: a write has failed", r.name, key.match, key.attempt)
	}
	return err
}

// sync returns once a file is on disk. The lock is open meanwhile.
func (l *roundLog) sync(r *round) error {
	if err := r.openWritable(l.root); err != nil {
		return err
	}
	file := r.file
	l.mu.Unlock()
	defer l.mu.Lock()
	return file.Sync()
}

// drop forgets what is staged or sealed.
func (l *roundLog) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.open {
		r.staged.empty()
		r.sealed.empty()
	}
}

// load returns the file that a match belongs to, its index up to date.
func (l *roundLog) load(match string) (*round, error) {
	n := roundOf(match)
	at := slices.IndexFunc(l.open, func(r *round) bool { return r.n == n })
	switch {
	case at < 0:
		l.open = slices.Insert(l.open, 0, &round{n: n, name: path.Join(l.folder, roundFile(n))})
		l.closeOld()
	case at > 0:
		r := l.open[at]
		copy(l.open[1:at+1], l.open[:at])
		l.open[0] = r
	}
	return l.open[0], l.open[0].refresh(l.root, l.appends)
}

// closeOld lets go of the files that were not used for longest, unless something in them is not on disk yet.
func (l *roundLog) closeOld() {
	for i := len(l.open) - 1; i >= maxRounds; i-- {
		if r := l.open[i]; len(r.staged.at)+len(r.sealed.at) == 0 {
			r.letGo()
			l.open = slices.Delete(l.open, i, i+1)
		}
	}
}

// close lets go of all files. They are opened again when they are needed.
func (l *roundLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.open {
		r.letGo()
	}
	l.open = nil
}
