package journal

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// recover verifies the lines of f after at, truncates a torn line, and syncs the file, whose writer may have crashed
// before a sync. It returns the end of the journal.
func (l *log) recover(ctx context.Context, f file, head, at mark) (mark, error) {
	limit := int64(math.MaxInt64)
	if l.known {
		limit = l.end.size
	} else {
		l.sweep()
	}
	c := chain{path: l.path, head: head, at: at}
	for _, err := range c.follow(io.NewSectionReader(f, c.at.size, limit-c.at.size)) {
		if errors.Is(err, errTorn) {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return mark{}, err
		}
	}
	if err := l.cut(f, c.at); err != nil {
		return mark{}, err
	}
	return c.at, errors.Join(f.Sync(), syncFolders(l.folder, l.dir))
}

// cut truncates a journal after m.
func (l *log) cut(f file, m mark) error {
	info, err := f.Stat()
	if err != nil || info.Size() <= m.size {
		return err
	}
	if err := f.Truncate(m.size); err != nil {
		return err
	}
	l.logger.Warn("cut a line that was never acknowledged off the end of a journal",
		"file", l.path, "line", m.seq+1, "bytes", info.Size()-m.size)
	return nil
}

// sweep removes the temporary files that a crashed process left behind.
func (l *log) sweep() {
	entries, _ := os.ReadDir(l.folder)
	for _, e := range entries {
		if name := strings.TrimPrefix(e.Name(), "."); name != headFile && strings.HasPrefix(name, headFile) ||
			strings.HasPrefix(name, roomFile) {
			os.Remove(filepath.Join(l.folder, e.Name()))
		}
	}
}
