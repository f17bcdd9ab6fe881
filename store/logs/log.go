package logs

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentleague/protocol"
)

// A Log is one file of JSON lines under logs/. Each write appends whole lines, so that many goroutines and
// processes may write to the same file. A line of level INFO or above is written at once; DEBUG lines, of which
// every match has many, are written together with those that follow within a moment.
type Log struct {
	folder    *Folder
	level     slog.Leveler
	component string

	mu     sync.Mutex
	agent  string   // as lines tell it
	plain  bool     // it and component are their own JSON, and short
	name   string   // of the file
	file   *os.File // nil: opened for each write
	closed bool
	lost   int         // lines since the last that was written
	torn   bool        // the file may end within a line
	wait   []byte      // lines that are not written yet
	buffer *[]byte     // of lineBuffers, in which they are; nil: none wait
	busy   bool        // many lines have waited lately: the next have a large buffer
	filled bool        // a buffer was written because it was full, since lines were last written late
	due    bool        // a write of the waiting lines is scheduled
	clock  *time.Timer // by which they are; nil: none has waited yet
	early  *early      // what was written before the agent had an id; nil: it has one
	born   time.Time   // of the file's first line; zero: not known yet
	size   int64       // of the file, as far as this log knows
	looked time.Time   // when the file was last looked at, whether it is still the one of that name
}

// Limits of the time that DEBUG lines are pending, and of their size. A write costs at least a system call, and
// often the opening of a file. The more logs have pending lines, the longer each waits, which limits the number of
// writes per second.
const (
	maxWait      = 200 * time.Millisecond
	waitInCrowd  = time.Millisecond // for each log whose lines wait
	maxCrowdWait = 2 * time.Second
	maxWaitBytes = 128 << 10
)

// maxOpenLogs is the maximum number of logs of a data directory that keep their file open. Other logs open it for each
// write.
const maxOpenLogs = 256

// setAgent sets the agent of the lines.
func (l *Log) setAgent(agent string) {
	l.agent = agent
	l.plain = len(l.component)+len(agent)+len(`""`) <= maxName && simple(l.component) && simple(agent)
}

// Handler returns a handler that writes to the log.
func (l *Log) Handler() slog.Handler { return &handler{log: l} }

// Registered moves the log to the file of agent id in a league, together with the lines from before it had an id.
// It is called again when the agent is granted another id; then earlier lines stay in the earlier file.
func (l *Log) Registered(league, id string) error {
	file, err := l.folder.place(league, id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := agentLog(file)
	before := l.early
	l.early = nil
	if l.setAgent(protocol.Sender(protocol.Role(l.component), id)); name == l.name {
		return nil
	}
	failed := errors.Join(l.flush(), l.letGo())
	was := l.name
	l.name, l.born, l.size = name, time.Time{}, 0
	if before == nil || before.tooMany {
		return failed
	}
	return errors.Join(failed, l.moveHere(was, before))
}

// Close writes the pending lines and closes the file. Later lines are lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return errors.Join(l.flush(), l.letGo())
}

// write appends one line, which consists of before, the agent's id, and after.
func (l *Log) write(level slog.Level, before, after []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	start := len(l.wait)
	l.wait = append(appendQuote(append(l.room(), before...), l.agent, maxName), after...)
	l.early.keep(l.wait[start:], len(before), after)
	if level >= slog.LevelInfo {
		return l.flush()
	}
	return l.later()
}

// usable fails once the log is closed.
func (l *Log) usable() error {
	if l.closed {
		return &fs.PathError{Op: "write", Path: l.name, Err: fs.ErrClosed}
	}
	return nil
}

// later schedules the write of the pending lines, or writes them at once if they are large.
func (l *Log) later() error {
	if len(l.wait) >= maxWaitBytes {
		l.filled = true
		return l.flush()
	}
	if l.due {
		return nil
	}
	l.due = true
	lag := min(max(maxWait, time.Duration(l.folder.late.Add(1))*waitInCrowd), maxCrowdWait)
	if l.clock == nil {
		l.clock = time.AfterFunc(lag, l.flushLate)
	} else {
		l.clock.Reset(lag)
	}
	return nil
}

// flushLate writes the pending lines. If that fails they are lost, which is allowed for logs.
func (l *Log) flushLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = false
	l.folder.late.Add(-1)
	_ = l.flush()
	l.giveBuffer()
}

// flush writes the lines that wait.
func (l *Log) flush() error {
	if len(l.wait) == 0 {
		return nil
	}
	lines := l.wait
	defer l.emptied()
	if err := l.rotate(len(lines)); err != nil {
		l.lose(bytes.Count(lines, []byte{'\n'}), 0)
		return errors.Join(err, l.letGo())
	}
	n, err := l.append(lines)
	l.size += int64(n)
	if err != nil {
		l.lose(bytes.Count(lines, []byte{'\n'}), n)
		return errors.Join(err, l.letGo()) // who makes room may have moved the file
	}
	l.whole()
	return nil
}

// append writes lines to the file of the log, and returns the number of written bytes.
func (l *Log) append(lines []byte) (int, error) {
	f := l.file
	if f == nil {
		var err error
		if f, err = l.open(); err != nil {
			return 0, err
		}
		if !l.keep(f) {
			defer f.Close()
		}
	}
	if gap := l.gap(); gap != nil {
		lines = append(gap, lines...)
	}
	return f.Write(lines)
}

// open opens the file for appending. It creates a missing folder.
func (l *Log) open() (*os.File, error) {
	path := l.folder.path(l.name)
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE
	f, err := os.OpenFile(path, flags, 0o644)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flags, 0o644)
}

// keep keeps f open for the next line and returns true, unless too many logs keep their file open.
func (l *Log) keep(f *os.File) bool {
	if l.folder.open.Add(1) > maxOpenLogs {
		l.folder.open.Add(-1)
		return false
	}
	l.file = f
	return true
}

// letGo closes the file if it is kept open.
func (l *Log) letGo() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	l.folder.open.Add(-1)
	return f.Close()
}
