package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxBlock is the maximum number of bytes of entries that are compressed together.
const maxBlock = 1 << 20

// Rewrite copies the entries for which keep returns true from log r to a new log w, compressed in blocks. It
// returns an error if r is damaged.
func Rewrite(w io.Writer, r io.ReaderAt, size int64, keep func(Item) bool) error {
	var wanted []Item
	s, err := Scan(r, size, func(it Item) {
		if keep(it) {
			wanted = append(wanted, it)
		}
	})
	if err == nil {
		err = s.named("")
	}
	if err != nil {
		return err
	}
	head := make([]byte, headSize)
	generation := uint32(0)
	if size >= headSize {
		if err := readAt(r, head, 0); err != nil {
			return err
		}
		generation = binary.LittleEndian.Uint32(head[8:])
	}
	out := writing{w: w, text: appendHead(nil, generation+1)}
	defer out.cached.forget()
	if err := out.flush(); err != nil {
		return err
	}
	for _, it := range wanted {
		e, err := out.cached.read(r, it.At)
		if err == nil {
			err = out.add(e)
		}
		if err != nil {
			return err
		}
	}
	if err := out.frame(); err != nil {
		return err
	}
	return out.frame() // it vouches for the one before
}

// writing is a log on its way to a writer.
type writing struct {
	w      io.Writer
	text   []byte // to be written
	at     int64  // written so far
	block  []byte // entries of the next block
	cached blockCache
}

func (o *writing) flush() error {
	n, err := o.w.Write(o.text)
	o.at += int64(n)
	o.text = o.text[:0]
	return err
}

// add puts an entry into the block.
func (o *writing) add(e Entry) (err error) {
	if len(o.block)+len(e.Body) > maxBlock {
		if err := o.frame(); err != nil {
			return err
		}
	}
	o.block, err = appendEntry(o.block, e, plain)
	return err
}

// frame writes the block.
func (o *writing) frame() (err error) {
	o.text = room(o.text)
	if len(o.block) > 0 {
		if o.text, err = appendEntry(o.text, Entry{Kind: blockFrame, Body: o.block}, packedZstd); err != nil {
			return err
		}
	}
	seal(o.text, o.at)
	o.block = o.block[:0]
	return o.flush()
}

// Compact replaces the log by one with only the entries for which keep returns true. Their positions change; a
// Reader reads the new log from the beginning. After an error the log has either all of its entries or the kept
// ones.
func (l *Log) Compact(keep func(Item) bool) error {
	l.turn <- struct{}{}
	defer l.release()
	if err := l.ready(l.size); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(l.path), "."+filepath.Base(l.path)+".new")
	f, err := l.disk.Open(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, l.perm)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	err = Rewrite(&atEnd{file: f}, l.file, l.size, keep)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", l.path, errors.Join(err, l.disk.Remove(temp)))
	}
	l.scanned = false // the places of all entries change
	err = l.shut()
	if err == nil {
		err = l.disk.Rename(temp, l.path)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", l.path, errors.Join(err, l.disk.Remove(temp)))
	}
	return errors.Join(err, l.ready(0))
}

// atEnd writes to a file from its beginning on.
type atEnd struct {
	file File
	at   int64
}

func (w *atEnd) Write(b []byte) (int, error) {
	n, err := w.file.WriteAt(b, w.at)
	w.at += int64(n)
	return n, err
}
