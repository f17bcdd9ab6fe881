package journal

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/engine/line"
)

// shared holds what an engine and its logs have in common.
type shared struct {
	dir    string
	logger *slog.Logger
	disk   disk
	late   *headWriter
}

// log is one journal with its known state.
type log struct {
	*shared
	folder string
	path   string
	turn   chan struct{} // has an element while a goroutine has the turn

	heads   sync.Mutex // held while the head file is written
	written uint64     // the latest sequence that this engine wrote there; guarded by heads

	// The fields below belong to the goroutine that holds turn.
	file     file        // sound up to end; nil: there is none, or it must be checked first
	end      mark        // the last entry acknowledged
	known    bool        // end is known, and nothing follows it
	is       fs.FileInfo // of the file that was sound up to end
	torn     bool        // a write failed: something may stand after end that this engine wrote
	away     bool        // the file was changed by another process, and not checked since
	head     uint64      // the sequence in the head file
	headless bool        // the head could not be written the last time
	closed   bool
	line     []byte // room for the next
	lacks    int    // bytes that a disk that was full has to take before anything is written
}

func (l *log) leave() { <-l.turn }

// ready opens and verifies the journal, unless it is open, and truncates unacknowledged bytes at its end. A missing
// journal is valid if nothing was acknowledged. The caller holds turn.
func (l *log) ready(ctx context.Context) error {
	if l.closed {
		return engine.ErrClosed
	}
	if err := l.intact(); err != nil {
		return err
	}
	if l.file != nil {
		return nil
	}
	return l.judged(l.reopen(ctx))
}

// reopen reads the whole journal.
func (l *log) reopen(ctx context.Context) error {
	head, err := readHead(os.DirFS(l.folder), journalFile, l.path)
	if err != nil {
		return err
	}
	l.head = head.seq
	if l.end.seq > head.seq {
		head = l.end
	}
	f, err := l.disk.open(l.path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) && l.end.seq > 0 {
		return l.isAway(gone)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return (&chain{path: l.path, head: head}).end()
	}
	if err != nil {
		return err
	}
	return l.adopt(ctx, f, head, mark{})
}

// adopt verifies f after the mark at and makes it the file of the log. Everything before at has been verified.
func (l *log) adopt(ctx context.Context, f file, head, at mark) error {
	end, err := l.recover(ctx, f, head, at)
	if err == nil {
		l.is, err = f.Stat()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.end, l.known, l.torn, l.away = f, end, true, false, false
	if l.head < end.seq {
		l.late.add(l)
	}
	return nil
}

// create makes an empty journal and its head.
func (l *log) create() error {
	if err := os.MkdirAll(l.folder, 0o755); err != nil {
		return err
	}
	if err := l.writeHead(mark{}); err != nil {
		return err
	}
	f, err := l.disk.open(l.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	err = syncFolders(l.folder, l.dir)
	if err == nil {
		l.is, err = f.Stat()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.known = f, true
	return nil
}

// write appends a line with p and returns after it is synced to disk. After an error the outcome is unknown, and the
// next operation truncates the line.
func (l *log) write(p line.Payload) error {
	if err := l.probeSpace(); err != nil {
		return err
	}
	if l.file == nil {
		if err := l.create(); err != nil {
			return l.failed(err)
		}
	}
	next := mark{seq: l.end.seq + 1}
	l.line = line.Append(l.line[:0], next.seq, l.end.hash, time.Now(), p)
	next.hash = line.Of(l.line)
	l.line = append(l.line, '\n')
	next.size = l.end.size + int64(len(l.line))
	_, err := l.file.WriteAt(l.line, l.end.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return l.failed(err)
	}
	l.end = next
	l.late.add(l)
	return nil
}

// shut closes the file. The next operation opens and verifies it again.
func (l *log) shut() error {
	if l.file == nil {
		return nil
	}
	defer func() { l.file = nil }()
	return l.file.Close()
}

// close writes the head and closes the file. If the disk is full it logs that the head is outdated and returns no
// error, because the next process that opens the log updates the head.
func (l *log) close() error {
	l.turn <- struct{}{}
	defer l.leave()
	l.closed = true
	if err := l.intact(); l.away { // its head does not belong to the file in its place
		l.logger.Warn("a journal is not as it was left", "error", err)
		return l.shut()
	}
	if l.head >= l.end.seq {
		return l.shut()
	}
	err := l.writeHead(l.end)
	if noRoom(err) {
		l.logger.Warn("the disk is full: the head of a journal stays behind until the journal is opened again",
			"journal", l.path, "head", l.head, "end", l.end.seq)
		err = nil
	}
	return errors.Join(err, l.shut())
}
