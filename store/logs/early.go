package logs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// An early holds the lines that an agent logged before it had an id, so that they can be moved to the file of the
// id.
type early struct {
	lines   []earlyLine
	bytes   int
	tooMany bool // to be collected: they stay in their file
}

// An earlyLine is a collected line: whole, and its parts before and after the place of the agent's id.
type earlyLine struct{ whole, before, after []byte }

// maxEarly is the maximum size in bytes of the collected lines. If the agent logs more before it has an id, they
// stay in the file of its name.
const maxEarly = 256 << 10

// keep collects a line; its first n bytes precede the agent's id.
func (e *early) keep(line []byte, n int, after []byte) {
	if e == nil || e.tooMany {
		return
	}
	if e.bytes += 2 * len(line); e.bytes > maxEarly {
		e.lines, e.tooMany = nil, true
		return
	}
	whole := bytes.Clone(line)
	e.lines = append(e.lines, earlyLine{whole, whole[:n], bytes.Clone(after)})
}

// moveHere moves the collected lines from the file was to the log's present file, with the agent's id in them. It
// removes the old file if that holds nothing else; an agent of the same name may have written there too.
func (l *Log) moveHere(was string, before *early) error {
	var all []byte
	for _, line := range before.lines {
		all = append(all, line.whole...)
		l.wait = append(appendQuote(append(l.room(), line.before...), l.agent, maxName), line.after...)
	}
	if err := l.flush(); err != nil {
		return err
	}
	text, err := os.ReadFile(l.folder.path(was))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !bytes.Equal(text, all) {
		return err
	}
	return os.Remove(l.folder.path(was))
}
