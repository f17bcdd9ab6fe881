package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"agentleague/engine"
	"agentleague/engine/line"
)

// Read yields the log from sequence from. It verifies every line, starting with the first.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		err := engine.CheckName(log)
		if err == nil {
			err = e.read(ctx, log, from, yield)
		}
		if err != nil {
			yield(engine.Entry{}, fmt.Errorf("read %s: %w", log, e.translate(err)))
		}
	}
}

// ReadFile yields the entries of the journal at path, with journal.head in the same folder. It is read-only and ignores
// the lock, so tools can use it on a data directory in use or on a copy. It reports the same damage as Read, and skips
// a torn last line. The last entry may be one whose append has not returned yet.
func ReadFile(path string) iter.Seq2[engine.Entry, error] {
	return readFrom(os.DirFS(filepath.Dir(path)), filepath.Base(path), path, new(End))
}

// ReadFS is ReadFile in any file system.
func ReadFS(fsys fs.FS, name string) iter.Seq2[engine.Entry, error] {
	return readFrom(fsys, name, name, new(End))
}

// An End is how a journal ends.
type End struct {
	Head uint64 // the sequence in the head file
	Torn bool   // there are bytes after the last whole line
}

// ReadToEnd is ReadFS that also sets end, which is valid after the iteration.
func ReadToEnd(fsys fs.FS, name string, end *End) iter.Seq2[engine.Entry, error] {
	return readFrom(fsys, name, name, end)
}

// readFrom reads the journal called name in fsys. Errors refer to it as called.
func readFrom(fsys fs.FS, name, called string, end *End) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		// The head is read first, so that it cannot be ahead of a journal that grows during the read.
		head, err := readHead(fsys, name, called)
		if err != nil {
			yield(engine.Entry{}, err)
			return
		}
		*end = End{Head: head.seq}
		f, err := fsys.Open(name)
		if err != nil {
			err = fmt.Errorf("%s: %w", called, err)
			if errors.Is(err, fs.ErrNotExist) && head.seq > 0 {
				err = (&chain{path: called, head: head}).lost()
			}
			yield(engine.Entry{}, err)
			return
		}
		defer f.Close()
		c := chain{path: called, head: head}
		err = c.tell(f, yield)
		// During the read a line can be truncated and rewritten, and then appears as half of each. So damage is
		// confirmed by a second read.
		if again, ok := f.(io.ReaderAt); ok && errors.Is(err, engine.ErrDamaged) {
			err = c.tell(io.NewSectionReader(again, c.at.size, math.MaxInt64-c.at.size), yield)
		}
		if end.Torn = errors.Is(err, errTorn); err != nil && !end.Torn {
			yield(engine.Entry{}, err)
		}
	}
}

// tell yields the entries after c.at and returns the error that ended them. It returns nil if the consumer stopped.
func (c *chain) tell(r io.Reader, yield func(engine.Entry, error) bool) error {
	for rec, err := range c.follow(r) {
		if err != nil || !yield(c.entry(rec), nil) {
			return err
		}
	}
	return nil
}

// read passes the entries from sequence from to yield and returns the error that ended them; nil if yield returned
// false.
func (e *Engine) read(ctx context.Context, log string, from uint64, yield func(engine.Entry, error) bool) error {
	p := &passage{ctx: ctx, from: from, yield: yield}
	if err := e.firstRead(log, p); err != nil || p.enough {
		return err
	}
	f, err := e.snapshot(p, log)
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	err = p.over(f, p.head.size)
	if errors.Is(err, engine.ErrDamaged) {
		e.distrust(log)
	}
	return err
}

// A passage is a log on its way to a reader.
type passage struct {
	chain
	ctx    context.Context
	from   uint64
	yield  func(engine.Entry, error) bool
	enough bool // yield wants no more
}

// over reads a journal from p.at up to a size.
func (p *passage) over(f file, size int64) error {
	for rec, err := range p.follow(io.NewSectionReader(f, p.at.size, size-p.at.size)) {
		if err = errors.Join(err, p.ctx.Err()); err != nil {
			return err
		}
		if rec.Seq >= p.from && !p.yield(p.entry(rec), nil) {
			p.enough = true
			return nil
		}
	}
	return nil
}

// snapshot opens the journal for reading from p.at to its present end, which it stores in p. It returns nil, nil if
// there is nothing to read.
func (e *Engine) snapshot(p *passage, log string) (file, error) {
	l, err := e.enterLog(p.ctx, log)
	if err != nil {
		return nil, err
	}
	defer l.leave()
	if l.end.seq < max(p.from, p.at.seq+1) {
		return nil, nil
	}
	p.path, p.head = l.path, l.end
	return e.disk.open(l.path, os.O_RDONLY)
}

// firstRead verifies a journal that was not opened before, and yields its lines at the same time: a separate pass would
// double the start time of a long league. Then the file belongs to the log. It stops at a torn or concurrently written
// line; the caller continues after p.at.
func (e *Engine) firstRead(log string, p *passage) error {
	l, err := e.log(log)
	if err != nil {
		return err
	}
	f, size, err := l.firstLook(p)
	if err != nil || f == nil {
		return err
	}
	if err := unlessJudged(p.over(f, size)); err != nil || p.enough {
		return errors.Join(err, f.Close())
	}
	l.turn <- struct{}{}
	defer l.leave()
	if l.known || l.closed { // another goroutine was first, and has the file open
		return f.Close()
	}
	l.head = p.head.seq
	return l.judged(l.adopt(p.ctx, f, p.head, p.at))
}

// unlessJudged drops errors that the later verification of the same file returns again.
func unlessJudged(err error) error {
	if errors.Is(err, errTorn) || errors.Is(err, engine.ErrDamaged) {
		return nil
	}
	return err
}

// firstLook opens and syncs a journal for [Engine.firstRead] and returns its size. It returns a nil file if the log is
// already open or does not exist.
func (l *log) firstLook(p *passage) (f file, size int64, err error) {
	select {
	case l.turn <- struct{}{}:
		defer l.leave()
	case <-p.ctx.Done():
		return nil, 0, p.ctx.Err()
	}
	if l.known || l.closed || p.ctx.Err() != nil {
		return nil, 0, nil
	}
	head, err := readHead(os.DirFS(l.folder), journalFile, l.path)
	if err != nil {
		return nil, 0, err
	}
	f, err = l.disk.open(l.path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Sync(), syncFolders(l.folder, l.dir)); err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	p.path, p.head = l.path, head
	return f, info.Size(), nil
}

// distrust closes a log's file, so that the next operation verifies it first.
func (e *Engine) distrust(name string) {
	if l, err := e.log(name); err == nil {
		l.turn <- struct{}{}
		defer l.leave()
		_ = l.shut()
	}
}

// entry returns a copy of the record that c has just verified.
func (c *chain) entry(r line.Record) engine.Entry {
	return engine.Entry{Mark: c.at.exported(), Data: bytes.Clone(r.Payload)}.WithText(r.Text)
}
