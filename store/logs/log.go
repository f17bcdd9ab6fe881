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

// A Log is one file of JSON lines under logs/. Lines are written whole, so that many goroutines, and many processes,
// may write to the same file: a line of level INFO or above at once, one of level DEBUG, of which there are many to
// every match, together with those that follow it within a moment.
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
	due    bool        // they will be written
	clock  *time.Timer // by which they are; nil: none has waited yet
	early  *early      // what was written before the agent had an id; nil: it has one
	born   time.Time   // of the file's first line; zero: not known yet
	size   int64       // of the file, as far as this log knows
	looked time.Time   // when the file was last looked at, whether it is still the one of that name
}

// How long DEBUG lines may wait for others, and how many bytes of them. Each write opens a file, or at least is a system
// call: where many logs have lines that wait, in a crowd, each of them waits longer, so that there are no more writes in
// a second.
const (
	maxWait      = 200 * time.Millisecond
	waitInCrowd  = time.Millisecond // for each log whose lines wait
	maxCrowdWait = 2 * time.Second
	maxWaitBytes = 128 << 10
)

// maxOpenLogs is how many logs of a root keep their file open. The logs of a crowd, beyond that, open it for each
// write.
const maxOpenLogs = 256

// call makes agent who the lines are of.
func (l *Log) call(agent string) {
	l.agent = agent
	l.plain = len(l.component)+len(agent)+len(`""`) <= maxName && simple(l.component) && simple(agent)
}

// Handler returns a handler that writes to the log.
func (l *Log) Handler() slog.Handler { return &handler{log: l} }

// Registered makes the lines those of the agent id in a league, in the file of that agent: also those from before it
// had an id. It is called again whenever the agent is granted another id; what was written under one stays there.
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
	if l.call(protocol.Sender(protocol.Role(l.component), id)); name == l.name {
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

// Close lets go of the file. Lines that come later are lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return errors.Join(l.flush(), l.letGo())
}

// write appends one line, made of what comes before and after the agent's id.
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

// later has the lines that wait written within a moment, or at once if they are many.
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

// flushLate writes what has waited long enough. Lines that cannot be written are lost, as any of a log are.
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

// append writes lines to the file of the log, and says how much it wrote.
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

// open opens the file for appending, and makes its folder if it is the first.
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

// keep keeps f open for the next line if there are not too many open already.
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
