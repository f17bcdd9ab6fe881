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
)

// Read yields the log from sequence from on. It looks at every line from the first.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		err := engine.CheckName(log)
		if err == nil {
			err = e.read(ctx, log, from, yield)
		}
		if err != nil {
			yield(engine.Entry{}, fmt.Errorf("read %s: %w", log, e.told(err)))
		}
	}
}

// ReadFile yields the entries of the journal at path, with journal.head beside it, and changes nothing,
// nor minds the lock: it is for tools on a root that is in use, or on a copy of one. It refuses what Read
// refuses. A torn last line is passed over; the last entry may be one whose append is still under way.
func ReadFile(path string) iter.Seq2[engine.Entry, error] {
	return readFrom(os.DirFS(filepath.Dir(path)), filepath.Base(path), path)
}

// ReadFS is ReadFile in any file system.
func ReadFS(fsys fs.FS, name string) iter.Seq2[engine.Entry, error] {
	return readFrom(fsys, name, name)
}

// readFrom reads the journal of that name, which errors call by its path.
func readFrom(fsys fs.FS, name, called string) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		// The head first: a journal that grows meanwhile is never behind it.
		head, err := readHead(fsys, name, called)
		if err != nil {
			yield(engine.Entry{}, err)
			return
		}
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
		// A line that is cut off and written anew meanwhile is read as half of each: damage is looked at twice.
		if again, ok := f.(io.ReaderAt); ok && errors.Is(err, engine.ErrDamaged) {
			err = c.tell(io.NewSectionReader(again, c.at.size, math.MaxInt64-c.at.size), yield)
		}
		if err != nil {
			yield(engine.Entry{}, err)
		}
	}
}

// tell passes the entries after c.at to yield and returns the error that is to come last, unless yield wants
// no more.
func (c *chain) tell(r io.Reader, yield func(engine.Entry, error) bool) error {
	for rec, err := range c.follow(r) {
		if errors.Is(err, errTorn) {
			return nil
		}
		if err != nil || !yield(c.entry(rec), nil) {
			return err
		}
	}
	return nil
}

// read passes the entries to yield and returns the error that is to come last, unless yield wants no more.
func (e *Engine) read(ctx context.Context, log string, from uint64, yield func(engine.Entry, error) bool) error {
	f, c, err := e.snapshot(ctx, log, from)
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	for rec, err := range c.follow(io.NewSectionReader(f, 0, c.head.size)) {
		if errors.Is(err, engine.ErrDamaged) {
			e.distrust(log)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if rec.seq >= from && !yield(c.entry(rec), nil) {
			return nil
		}
	}
	return nil
}

// snapshot opens the log to be read up to its present end. It returns no file if there is nothing to read.
func (e *Engine) snapshot(ctx context.Context, log string, from uint64) (file, *chain, error) {
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return nil, nil, err
	}
	defer l.leave()
	if l.end.seq < max(from, 1) {
		return nil, nil, nil
	}
	f, err := e.disk.open(l.path, os.O_RDONLY)
	return f, &chain{path: l.path, head: l.end}, err
}

// distrust has a log looked at again before it is appended to.
func (e *Engine) distrust(name string) {
	if l, err := e.log(name); err == nil {
		l.turn <- struct{}{}
		defer l.leave()
		_ = l.shut()
	}
}

// entry is the record that c has just passed, as the caller may keep it.
func (c *chain) entry(r record) engine.Entry {
	return engine.Entry{Mark: c.at.told(), Data: bytes.Clone(r.payload)}
}
