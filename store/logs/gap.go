package logs

import (
	"fmt"
	"time"
)

// A full disk loses lines, and may cut the last one short. The next line that can be written starts on a new line,
// after a line with the number of lost lines.

// lose records that lines were lost, after n bytes of them were written.
func (l *Log) lose(lines, n int) {
	l.lost += lines
	l.torn = l.torn || n > 0
}

// gap returns the text to write before the next line: a note about lost lines, or nothing.
func (l *Log) gap() []byte {
	if l.lost == 0 {
		return nil
	}
	var line []byte
	if l.torn {
		line = append(line, '\n')
	}
	line = stamped(line, time.Now())
	line = field(line, "level", "WARN", maxName)
	line = field(line, "component", l.component, maxName)
	line = field(line, "agent_id", l.agent, maxName)
	line = field(line, "event_type", "LINES_LOST", maxName)
	line = field(line, "message", fmt.Sprintf("%d lines before this one could not be written", l.lost), maxText)
	return append(line, "}\n"...)
}

// whole records that all lines up to here were written.
func (l *Log) whole() { l.lost, l.torn = 0, false }
