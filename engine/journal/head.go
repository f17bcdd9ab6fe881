package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"path/filepath"
	"time"

	"agentleague/engine/line"
)

// The files of one log.
const (
	journalFile = "journal.jsonl"
	headFile    = "journal.head"
)

// headLag is how long a head waits for more appends. The rest of the 100 ms it may be behind is for
// writing it.
const headLag = 50 * time.Millisecond

// HeadPath is the head file of the journal at a path: it records the last acknowledged line.
func HeadPath(journal string) string { return headPath(journal) }

func headPath(journal string) string {
	return filepath.Join(filepath.Dir(journal), headFile)
}

// appendHead encodes a head file.
func appendHead(b []byte, m mark) []byte { return line.AppendHead(b, m.seq, m.hash) }

// parseHead accepts only the output of appendHead.
func parseHead(text []byte) (m mark, ok bool) {
	m.seq, m.hash, ok = line.ParseHead(text)
	return m, ok
}

// readHead returns the mark that the journal of that name has to reach. A journal has a head before it has a
// line, so one without has lost it.
func readHead(fsys fs.FS, name, called string) (mark, error) {
	info, statErr := fs.Stat(fsys, name) // first: both may be created concurrently
	text, err := fs.ReadFile(fsys, path.Join(path.Dir(name), headFile))
	if errors.Is(err, fs.ErrNotExist) {
		if statErr == nil && info.Size() > 0 {
			return mark{}, damaged(headPath(called), 1, "the head is missing, so nobody can tell whether the journal is whole")
		}
		return mark{}, nil
	}
	if err != nil {
		return mark{}, fmt.Errorf("%s: %w", headPath(called), err)
	}
	m, ok := parseHead(text)
	if !ok {
		return m, damaged(headPath(called), 1, "the head cannot be read")
	}
	return m, nil
}

// keepHeads writes the heads that are behind, until the engine closes.
func (e *Engine) keepHeads() {
	for {
		select {
		case <-e.closing:
			return
		case <-e.heads:
		}
		select {
		case <-e.closing:
			return
		case <-time.After(headLag):
		}
		for l := range e.takeBehind() {
			l.keepHead()
		}
	}
}

// headIsBehind has the head of l written soon.
func (e *Engine) headIsBehind(l *log) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behind[l] = struct{}{}
	select {
	case e.heads <- struct{}{}:
	default:
	}
}

// takeBehind returns the logs with outdated heads, once.
func (e *Engine) takeBehind() map[*log]struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.behind
	e.behind = map[*log]struct{}{}
	return out
}

// keepHead writes the head of the last acknowledged entry. Appends continue concurrently.
func (l *log) keepHead() {
	l.turn <- struct{}{}
	end, err := l.end, l.intact()
	away := l.away
	l.leave()
	if away { // the next check of the log reports it, and has its head written when it is back
		return
	}
	if err == nil {
		err = l.writeHead(end)
	}
	l.turn <- struct{}{}
	defer l.leave()
	if err == nil {
		l.head, l.headless = end.seq, false
		return
	}
	if !l.headless {
		l.engine.logger.Log(context.Background(), headLevel(err),
			"the head of a journal cannot be written; it is tried again", "error", err)
	}
	l.headless = true
	l.engine.headIsBehind(l)
}

// KeepHead returns when the head of a log durably covers its newest entry.
func (e *Engine) KeepHead(ctx context.Context, log string) error {
	l, err := e.enterLog(ctx, log)
	if err == nil {
		defer l.leave()
		if err = l.writeHead(l.end); err == nil {
			l.head, l.headless = l.end.seq, false
		}
	}
	if err != nil {
		return fmt.Errorf("keep the head of %s: %w", log, e.told(err))
	}
	return nil
}

// headLevel is the log level of a head that cannot be written. On a full disk the next append reports the error.
func headLevel(err error) slog.Level {
	if noRoom(err) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// writeHead puts an acknowledged entry into the head file, unless a concurrent call has put a later one there.
func (l *log) writeHead(m mark) error {
	l.heads.Lock()
	defer l.heads.Unlock()
	if m.seq < l.written {
		return nil
	}
	err := l.engine.disk.replace(headPath(l.path), appendHead(nil, m))
	if err == nil {
		l.written = m.seq
	}
	return err
}
