package wal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// A Reader reads a log that another process may write. It is safe for concurrent use.
type Reader struct {
	open func() (fs.File, error)
	stat func() (fs.FileInfo, error)
	path string
	fold Fold

	mu     sync.Mutex
	file   fs.File // nil: not open
	info   fs.FileInfo
	at     io.ReaderAt
	state  Scanned
	cached blockCache
}

// NewReader returns a reader of the log with a name in fsys. It opens the file at the first use.
func NewReader(fsys fs.FS, name string, fold Fold) *Reader {
	return &Reader{
		open: func() (fs.File, error) { return fsys.Open(name) },
		stat: func() (fs.FileInfo, error) { return fs.Stat(fsys, name) }, path: name, fold: fold,
	}
}

// Refresh applies the entries appended since the last call, and returns how far the log can be read. It reads a
// replaced log from the beginning. A missing log is an [fs.ErrNotExist].
func (r *Reader) Refresh() (Scanned, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := r.stat()
	if err == nil {
		info, err = r.reopen(info)
	}
	if err != nil {
		return r.state, err
	}
	if info.Size() > r.state.End {
		s, err := scan(r.at, r.state.End, info.Size(), r.fold.Apply)
		s.Synced, s.Damage = max(s.Synced, r.state.Synced), append(r.state.Damage, s.Damage...)
		if r.state = s; err != nil {
			return s, fmt.Errorf("%s: %w", r.path, err)
		}
		_ = s.named(r.path)
	}
	return r.state, nil
}

// reopen opens the file again, unless the open one is the file of info and has not shrunk. It returns the
// description of the open file, which may have been replaced since info was read.
func (r *Reader) reopen(info fs.FileInfo) (fs.FileInfo, error) {
	if r.file != nil && same(r.info, info) && info.Size() >= r.state.End {
		return info, nil
	}
	_ = r.shut()
	f, err := r.open()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		at = readerOf(text)
	}
	r.fold.Reset()
	r.file, r.at, r.info, r.state = f, at, info, Scanned{}
	r.cached.forget()
	return info, nil
}

// same reports whether two descriptions are of the same file, as far as the file system can tell.
func same(a, b fs.FileInfo) bool {
	if a.Sys() == nil || b.Sys() == nil { // not a file of this system
		return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	}
	return os.SameFile(a, b)
}

// Read returns the entry at a position that Fold.Apply received.
func (r *Reader) Read(at Pos) (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return Entry{}, fmt.Errorf("%s: %w", r.path, fs.ErrClosed)
	}
	e, err := r.cached.read(r.at, at)
	if err != nil {
		err = &DamageError{r.path, at.offset, err}
	}
	return e, err
}

// Close closes the file; Refresh opens it again.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shut()
}

func (r *Reader) shut() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file, r.at = nil, nil
	r.cached.forget()
	return f.Close()
}

// readerOf is text as an [io.ReaderAt].
type readerOf []byte

func (t readerOf) ReadAt(b []byte, at int64) (int, error) {
	if at >= int64(len(t)) {
		return 0, io.EOF
	}
	n := copy(b, t[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
