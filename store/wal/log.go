package wal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A Fold is the state that a log maintains from its entries. Its methods are not called concurrently.
type Fold interface {
	Reset()        // forget everything: the log is read from its beginning
	Apply(it Item) // an entry that is in the log
}

// A Log is an append-only file of entries. It is safe for concurrent use. A missing file is an empty log; the first
// Append creates the file, but not its folder.
type Log struct {
	disk Disk
	path string
	perm fs.FileMode
	fold Fold

	turn chan struct{} // holds one while a group is committed: the fields below change only then

	mu   sync.RWMutex
	next *group
	file File // nil: not open

	size     int64 // up to here frames are sound, and applied
	synced   int64 // up to here they are on disk
	scanned  bool  // size and fold are those of the file
	damage   error // as the scan found it: nothing is appended
	writable bool  // the torn tail is cut off
	lacks    int64 // after a full disk: how much has to fit before the log goes on
}

// A group is entries that are written together.
type group struct {
	text    []byte // a frame
	durable bool   // some caller waits for the disk
	done    chan struct{}
	err     error
}

// Open opens the log at path and applies its entries to fold. New files get the permissions perm. Damage is not an
// error of Open: sound entries can be read, but Append returns a [DamageError].
func Open(disk Disk, path string, perm fs.FileMode, fold Fold) (*Log, error) {
	l := &Log{disk: disk, path: path, perm: perm, fold: fold, turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	defer l.release()
	return l, l.scan()
}

// Append atomically appends entries: all or none of them. If durable is set it returns only after an fsync.
// Concurrent calls share one write and one fsync. After an error the entries are not applied and are truncated; if the
// truncation fails or is lost in a power failure, a later scan may find them.
// A failed fsync also removes the earlier entries that were not synced yet. One call takes up to 128 MiB, before
// compression.
func (l *Log) Append(durable bool, entries ...Entry) error {
	var text []byte
	total := 0
	for _, e := range entries {
		if total += entrySize + len(e.Key) + len(e.Body); total > maxFrame {
			return fmt.Errorf("%s: %d entries of more than %d MiB together cannot be appended at once; append fewer at a time",
				l.path, len(entries), maxFrame>>20)
		}
		var err error
		if text, err = appendEntry(text, e, packedS2); err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
	}
	l.mu.Lock()
	g := l.next
	first := g == nil || len(g.text)+len(text) > maxFrame
	if first {
		g = &group{text: room(nil), done: make(chan struct{})}
		l.next = g
	}
	g.text, g.durable = append(g.text, text...), g.durable || durable
	l.mu.Unlock()
	if first {
		l.turn <- struct{}{}
		l.lead(g)
		l.release()
	}
	<-g.done
	return g.err
}

func (l *Log) release() { <-l.turn }

// lead commits a group for all callers that have joined it until now.
func (l *Log) lead(g *group) {
	l.mu.Lock()
	if l.next == g {
		l.next = nil
	}
	l.mu.Unlock()
	if g.err = l.commit(g); g.err != nil {
		g.err = fmt.Errorf("%s: %w", l.path, g.err)
	}
	close(g.done)
}

// commit writes a group. The caller holds the turn.
func (l *Log) commit(g *group) error {
	if err := l.ready(int64(len(g.text))); err != nil {
		return err
	}
	at := l.size
	seal(g.text, l.synced)
	if n, err := l.file.WriteAt(g.text, at); err != nil || n < len(g.text) {
		return l.cut(cmp.Or(err, error(io.ErrShortWrite)), at, int64(len(g.text)))
	}
	end := at + int64(len(g.text))
	if g.durable {
		if err := l.file.Sync(); err != nil {
			l.scanned = false // what was written since the last sync may be lost: it is cut off, and the log read again
			return l.cut(err, l.synced, int64(len(g.text)))
		}
		l.synced = end
	}
	l.size = end
	return items(g.text[frameSize:], at+frameSize, nil, l.fold.Apply)
}

// cut truncates the file to size after a failed write of wrote bytes, and returns cause. The log stays unwritable
// until the disk has room for twice as much.
func (l *Log) cut(cause error, size, wrote int64) error {
	l.lacks = max(minRoom, 2*wrote)
	if err := l.file.Truncate(size); err != nil {
		return errors.Join(cause, err, l.shut())
	}
	if !l.scanned {
		return errors.Join(cause, l.shut())
	}
	return cause
}

// minRoom is the minimum number of bytes that a disk must have room for after a failed write.
const minRoom = 32 << 10

// ready makes the log writable for want more bytes, or returns an error. The caller holds the turn.
func (l *Log) ready(want int64) error {
	if l.lacks > 0 {
		if err := l.probe(max(l.lacks, 2*want)); err != nil {
			return err
		}
		l.lacks = 0
	}
	if l.file != nil && l.writable {
		return nil
	}
	if err := l.scan(); err != nil || l.damage != nil {
		return cmp.Or(err, l.damage)
	}
	var err error
	if l.size < headSize {
		err = l.begin()
	} else if err = l.file.Truncate(l.size); err == nil {
		err = l.file.Sync()
	}
	if err == nil {
		err = l.disk.SyncFolder(filepath.Dir(l.path)) // a crash may have come between making or renaming the file and this
	}
	if err == nil {
		l.synced, l.writable = l.size, true
	}
	return err
}

// begin writes the header of a file that is missing or has a torn header.
func (l *Log) begin() error {
	if err := l.shut(); err != nil {
		return err
	}
	f, err := l.disk.Open(l.path, os.O_RDWR|os.O_CREATE, l.perm)
	if err != nil {
		return err
	}
	if l.size > 0 {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(appendHead(nil, 1), 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.setFile(f)
	l.size = headSize
	return nil
}

// probe fails while the disk has no room.
func (l *Log) probe(size int64) error {
	path := filepath.Join(filepath.Dir(l.path), "."+filepath.Base(l.path)+".room")
	f, err := l.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, size), 0)
	return errors.Join(err, f.Close(), l.disk.Remove(path))
}

// scan opens the file and applies its entries, unless that is done already. The caller holds the turn.
func (l *Log) scan() error {
	if l.file != nil {
		return nil
	}
	f, err := l.disk.Open(l.path, os.O_RDWR, l.perm)
	if errors.Is(err, fs.ErrPermission) {
		f, err = l.disk.Open(l.path, os.O_RDONLY, l.perm)
	}
	if errors.Is(err, fs.ErrNotExist) {
		l.fold.Reset()
		l.size, l.synced, l.scanned, l.damage = 0, 0, true, nil
		return nil
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && (!l.scanned || info.Size() != l.size) {
		l.fold.Reset()
		var s Scanned
		if s, err = Scan(f, info.Size(), l.fold.Apply); err == nil {
			l.size, l.synced, l.scanned, l.damage = s.End, s.Synced, true, s.named(l.path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, errors.Join(err, f.Close()))
	}
	l.setFile(f)
	return nil
}

func (l *Log) setFile(f File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = f
}

// shut closes the file. The next use opens it again.
func (l *Log) shut() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writable = false
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// Damage returns the damage that the scan found, as one or several [DamageError], or nil.
func (l *Log) Damage() error {
	l.turn <- struct{}{}
	defer l.release()
	return l.damage
}

// Read returns the entry at a position that Fold.Apply received.
func (l *Log) Read(at Pos) (Entry, error) {
	l.mu.RLock()
	if l.file == nil {
		l.mu.RUnlock()
		l.turn <- struct{}{}
		err := l.scan()
		l.release()
		if err != nil {
			return Entry{}, err
		}
		l.mu.RLock()
	}
	defer l.mu.RUnlock()
	if l.file == nil {
		return Entry{}, fmt.Errorf("%s: %w", l.path, fs.ErrNotExist)
	}
	e, err := read(l.file, at)
	if err != nil {
		err = &DamageError{l.path, at.offset, err}
	}
	return e, err
}

// Close closes the file until the next call. It first appends a frame which states that all bytes before it are
// durable, so that any later change of them is detected as damage.
func (l *Log) Close() error {
	l.turn <- struct{}{}
	defer l.release()
	if !l.writable {
		return l.shut()
	}
	err := l.commit(&group{text: room(nil), durable: true})
	if err == nil {
		err = l.commit(&group{text: room(nil), durable: true})
	}
	return errors.Join(err, l.shut())
}
