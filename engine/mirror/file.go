package mirror

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentleague/engine/journal"
	"agentleague/engine/line"
)

// A file is the copy of one log. It is opened for each line, so that a thousand logs at rest hold no descriptor.
type file struct {
	path string

	mu       sync.Mutex
	known    bool      // whether the fields below were read from the file
	first    line.Hash // of the first line
	seq      uint64    // the last line that is there
	hash     line.Hash // and its hash
	headSeq  uint64    // the content of the head
	mourning bool      // the failure was logged
}

// add appends a line unless it exists. It ignores a line after a gap, without an error: the caller then reads the log
// from its first line. A file whose first or last line differs is put aside.
func (f *file) add(seq uint64, text []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		if err := f.load(); err != nil {
			return err
		}
	}
	hash := line.Of(text)
	if seq == 1 && f.seq > 0 && hash != f.first || seq == f.seq && hash != f.hash {
		if err := f.putAside(); err != nil {
			return err
		}
	}
	if seq != f.seq+1 {
		return nil
	}
	if err := f.write(text); err != nil {
		f.known = false // it may end in the middle of a line
		return err
	}
	if seq == 1 {
		f.first = hash
	}
	f.seq, f.hash = seq, hash
	return nil
}

// write appends a line. Before the first line it writes a head, because a journal without a head counts as damaged.
func (f *file) write(text []byte) error {
	if f.seq == 0 {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := f.writeHead(0, line.Hash{}); err != nil {
			return err
		}
	}
	to, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = to.Write(append(bytes.Clone(text), '\n'))
	return errors.Join(err, to.Close())
}

// load determines the end of the file, and truncates lines that do not continue the chain.
func (f *file) load() error {
	f.first, f.seq, f.hash, f.headSeq = line.Hash{}, 0, line.Hash{}, 0
	in, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f.known = true
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	end, size, err := f.scan(in)
	if err != nil {
		return err
	}
	if end < size {
		if err := f.writeHead(f.seq, f.hash); err != nil { // first: it must not go beyond the file
			return err
		}
		if err := in.Truncate(end); err != nil {
			return err
		}
	}
	f.known = true
	return nil
}

// scan reads lines as long as each follows the one before, and returns where they end and how much there is.
func (f *file) scan(in io.Reader) (end, size int64, err error) {
	lines := bufio.NewReader(in)
	for whole := true; ; {
		text, err := lines.ReadBytes('\n')
		size += int64(len(text))
		if errors.Is(err, io.EOF) {
			return end, size, nil
		}
		if err != nil {
			return end, size, err
		}
		r, err := line.Parse(bytes.TrimSuffix(text, []byte("\n")))
		if whole = whole && err == nil && r.Seq == f.seq+1 && r.Prev == f.hash; !whole {
			continue
		}
		if r.Seq == 1 {
			f.first = r.Hash
		}
		f.seq, f.hash, end = r.Seq, r.Hash, size
	}
}

// putAside renames a journal that belongs to another log than the cluster's.
func (f *file) putAside() error {
	aside := fmt.Sprintf("%s.%s", f.path, time.Now().UTC().Format("20060102T150405.000000000"))
	if err := os.Rename(f.path, aside); err != nil {
		return err
	}
	if err := os.Remove(journal.HeadPath(f.path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.load()
}

// keepHead writes the head if the file goes on after it.
func (f *file) keepHead() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known && f.seq > f.headSeq {
		_ = f.writeHead(f.seq, f.hash) // it stays behind, which is no damage
	}
}

// writeHead replaces the head of a copy. It is not synced: a head that is lost is read from the log again.
func (f *file) writeHead(seq uint64, hash line.Hash) error {
	head := journal.HeadPath(f.path)
	if err := os.WriteFile(head+".new", line.AppendHead(nil, seq, hash), 0o644); err != nil {
		return err
	}
	if err := os.Rename(head+".new", head); err != nil {
		return err
	}
	f.headSeq = seq
	return nil
}

// complain reports whether the failure of the copy was not logged yet.
func (f *file) complain() (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first, f.mourning = !f.mourning, true
	return first
}
