package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agentleague/engine"
)

// Another process can move, delete, replace or truncate an open journal. Writing to it would then lose or damage
// data. So a log checks its file before each use, and is away until the file is back with exactly the acknowledged
// lines.

// gone describes a journal whose file is missing.
const gone = "was moved or deleted"

// intact fails while the journal is away. A file that came back, or a copy in its place, is closed: it must be read
// before it is trusted.
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

// isAway records that the file at the journal's path is not trusted any more. The open file stays open: some systems
// can restore a deleted file from it.
func (l *log) isAway(what string) error {
	l.away = true
	return &engine.AwayError{Place: l.path, What: what}
}

// judged is the error of a journal that was read. A wrong file in the place of one that was away is not damage.
func (l *log) judged(err error) error {
	var damage *DamageError
	if !l.away || !errors.As(err, &damage) {
		return err
	}
	return l.isAway(fmt.Sprintf("is not as it was left: line %d: %s", damage.Line, damage.What))
}
