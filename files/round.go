package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// A round is the file of one round's records, and what of it is under way. Its roundLog guards it.
//
//	staged ─▶ sealed ─ write, sync ─▶ settle: index
type round struct {
	n        int    // which round
	name     string // of the file in the root
	index    roundIndex
	file     *os.File // nil: not open, or not there
	writable bool     // as which it is open
	missing  bool     // there was no such file when this process looked
	size     int64    // of the file, as far as is known
	unsynced bool     // something in it may not be on disk

	staged, sealed batch
}

// A batch is lines that are written together.
type batch struct {
	lines *scratch         // nil while there are none
	at    map[lineKey]span // offsets and lines count from where the text begins
}

// maxBatch is how many bytes of lines are read and written at once.
const maxBatch = 1 << 20

// add appends a line.
func (b *batch) add(key lineKey, hash [32]byte, document []byte) {
	if b.lines == nil {
		b.lines = takeScratch()
	}
	if b.at == nil {
		b.at = map[lineKey]span{}
	}
	var at int
	b.lines.text, at = appendLine(b.lines.text, key, hash, document)
	b.at[key] = span{offset: int64(at), size: len(document), line: len(b.at) + 1, hash: hash}
}

// empty lets go of the lines.
func (b *batch) empty() {
	if b.lines != nil {
		b.lines.give()
		b.lines = nil
	}
	clear(b.at)
}

// known returns a record that is there or about to be.
func (r *round) known(key lineKey) (s span, ok bool) {
	for _, m := range []map[lineKey]span{r.staged.at, r.sealed.at, r.index.at} {
		if s, ok = m[key]; ok {
			return s, true
		}
	}
	return s, false
}

// refresh opens the file if it is there, and reads what others have appended to it. Whoever appends to the folder
// itself knows all that is there, and that a file is not; what it is committing is not shown before it is on disk.
func (r *round) refresh(root *Root, appends bool) error {
	if r.writable || len(r.sealed.at) > 0 || appends && r.missing {
		return nil
	}
	if r.file == nil {
		f, err := os.Open(root.path(r.name))
		if r.missing = errors.Is(err, fs.ErrNotExist); r.missing {
			return nil
		}
		if err != nil {
			return err
		}
		r.file, r.writable, r.unsynced = f, false, true
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	r.size = info.Size()
	return r.index.refresh(r.name, r.file, r.size)
}

// write writes what is sealed behind all that is there. The caller lets go of the file if that fails.
func (r *round) write(root *Root) error {
	if len(r.sealed.at) == 0 {
		return nil
	}
	if err := r.openWritable(root); err != nil {
		return err
	}
	if r.size > r.index.end { // a line that a crash has torn
		n, err := r.file.Write([]byte(tornEnd))
		if r.size += int64(n); err != nil {
			return err
		}
		r.index.end, r.index.lines = r.size, r.index.lines+1
	}
	n, err := r.file.Write(r.sealed.lines.text)
	r.size, r.unsynced = r.size+int64(n), true
	return err
}

// openWritable opens the file for appending, and makes it if it is not there.
func (r *round) openWritable(root *Root) error {
	if r.file != nil && r.writable {
		return nil
	}
	missing := r.file == nil
	f, err := os.OpenFile(root.path(r.name), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err = root.makeFolder(path.Dir(r.name)); err == nil {
			f, err = os.OpenFile(root.path(r.name), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
		}
	}
	if err == nil && missing {
		err = syncFolder(root.path(path.Dir(r.name)))
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return err
	}
	if r.file != nil {
		_ = r.file.Close()
	}
	r.file, r.writable, r.missing = f, true, false
	return nil
}

// settle shows what was written.
func (r *round) settle() {
	if len(r.sealed.at) == 0 {
		return
	}
	if r.index.at == nil {
		r.index.at = map[lineKey]span{}
	}
	for key, s := range r.sealed.at {
		s.offset, s.line = s.offset+r.index.end, s.line+r.index.lines
		r.index.at[key] = s
	}
	r.index.end += int64(len(r.sealed.lines.text))
	r.index.lines += len(r.sealed.at)
	r.sealed.empty()
}

// letGo closes the file and forgets what was under way. What is in the file is read again.
func (r *round) letGo() {
	if r.file != nil {
		_ = r.file.Close()
	}
	r.file, r.writable, r.missing, r.size = nil, false, false, 0
	r.index = roundIndex{}
	r.staged.empty()
	r.sealed.empty()
}
