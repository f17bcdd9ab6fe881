package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"agentleague/engine"
)

// A journal that is open can be moved, deleted, replaced or cut by somebody else. What is written to it then
// is lost to whoever reads the file of that name, or damages it. So a log looks at its file before it is used,
// and is away until the file is back with all that was acknowledged and nothing more.

// Check answers an [engine.AwayError] while the journal of a log is not as this engine left it, so that who
// has nothing to append learns of it too. A log that is not open yet is opened.
func (e *Engine) Check(ctx context.Context, log string) error {
	if err := engine.CheckName(log); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return fmt.Errorf("check %s: %w", log, e.told(err))
	}
	l.leave()
	return nil
}

// gone is what became of a journal whose name is not there.
const gone = "was moved or deleted"

// intact fails while the journal is away. One that came back, or of which there is a copy in its place, is
// shut: it has to be read before it is trusted.
func (l *log) intact() error {
	if !l.known {
		return nil
	}
	now, err := l.engine.disk.stat(l.path)
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

// isAway notes that nothing in the place of the journal is trusted any more. The file that is open stays open:
// a system may still give it back to whoever deleted its name.
func (l *log) isAway(what string) error {
	l.away = true
	return &engine.AwayError{Place: l.path, What: what}
}

// judged is the error of a journal that was looked at. What stands in the place of one that was away and does
// not fit is not damage to it.
func (l *log) judged(err error) error {
	var damage *DamageError
	if !l.away || !errors.As(err, &damage) {
		return err
	}
	return l.isAway(fmt.Sprintf("is not as it was left: line %d: %s", damage.Line, damage.What))
}
