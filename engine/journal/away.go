package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agentleague/engine"
)

// Another process can move, delete, replace or truncate an open journal. Writing to it would then lose or damage data.
// So a log checks its file before each use. If the file has changed, the log is away, and refuses all operations, until
// the file has exactly the acknowledged lines again.

// gone describes a journal whose file is missing.
const gone = "was moved or deleted"

// intact returns an error while the journal is away. If the file has returned, or a copy has taken its place, it closes
// the file, so that the next operation verifies it first.
func (l *log) intact() error {
	if !l.known {
		return nil
	}
	now, err := l.disk.stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.end.seq == 0:
		return l.shut() // nothing was acknowledged: it is made anew
	case errors.Is(err, fs.ErrNotExist):
		return l.isAway(gone)
	case err != nil:
		return err
	case now.Size() < l.end.size:
		return l.isAway("was cut short")
	case now.Size() > l.end.size && !l.torn:
		return l.isAway("has more in it than was written to it")
	case l.away || !os.SameFile(now, l.is):
		l.away = true
		return l.shut()
	}
	return nil
}

// isAway marks the log as away and returns the error. The open file stays open, because some systems can restore a
// deleted file from it.
func (l *log) isAway(what string) error {
	l.away = true
	return &engine.AwayError{Place: l.path, What: what}
}

// judged converts the error of reading a journal: damage in a file that took the place of an absent one is an
// [engine.AwayError], since the right file may still be restored.
func (l *log) judged(err error) error {
	var damage *DamageError
	if !l.away || !errors.As(err, &damage) {
		return err
	}
	return l.isAway(fmt.Sprintf("is not as it was left: line %d: %s", damage.Line, damage.What))
}
