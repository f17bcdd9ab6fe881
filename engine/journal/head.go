package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"sync"
	"time"
)

// headLag is how long a head update waits for more appends. The head may be at most 100 ms behind, of which the rest is
// for writing it.
const headLag = 50 * time.Millisecond

// readHead returns the line that a journal must reach, from its head file. A head is written before the first line, so
// a journal without a head is damaged; if both are missing the mark is zero. called is the path in error messages.
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

// A headWriter updates the heads of logs shortly after appends, in the background.
type headWriter struct {
	closing chan struct{}
	wake    chan struct{} // has an element when a log is behind
	done    sync.WaitGroup

	mu     sync.Mutex
	behind map[*log]struct{} // logs that go on after their heads
}

// newHeadWriter starts the goroutine that writes heads. It ends with stop.
func newHeadWriter() *headWriter {
	w := &headWriter{closing: make(chan struct{}), wake: make(chan struct{}, 1), behind: map[*log]struct{}{}}
	w.done.Go(w.run)
	return w
}

// run writes the heads that are behind.
func (w *headWriter) run() {
	for {
		select {
		case <-w.closing:
			return
		case <-w.wake:
		}
		select {
		case <-w.closing:
			return
		case <-time.After(headLag):
		}
		for l := range w.take() {
			l.keepHead()
		}
	}
}

// add has the head of l written soon.
func (w *headWriter) add(l *log) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.behind[l] = struct{}{}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns the logs with outdated heads and clears the set.
func (w *headWriter) take() map[*log]struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.behind
	w.behind = map[*log]struct{}{}
	return out
}

// stop returns when no head is being written.
func (w *headWriter) stop() {
	close(w.closing)
	w.done.Wait()
}

// keepHead writes the head for the last acknowledged entry. Appends can continue during the write. A failure is logged
// once and retried with the next update.
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
		l.logger.Log(context.Background(), headLevel(err),
			"the head of a journal cannot be written; it is tried again", "error", err)
	}
	l.headless = true
	l.late.add(l)
}

// headLevel returns the log level of a failure to write a head. For a full disk it is low, because the next append
// returns the error too.
func headLevel(err error) slog.Level {
	if noRoom(err) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// writeHead writes the head file, unless a concurrent call has written a later head.
func (l *log) writeHead(m mark) error {
	l.heads.Lock()
	defer l.heads.Unlock()
	if m.seq < l.written {
		return nil
	}
	err := l.disk.replace(headPath(l.path), appendHead(nil, m))
	if err == nil {
		l.written = m.seq
	}
	return err
}
