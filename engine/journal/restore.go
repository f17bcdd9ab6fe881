package journal

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"agentleague/engine"
	"agentleague/engine/line"
)

var _ engine.Restorer = (*Engine)(nil)

// Restore writes the lines of another engine's log. For an empty log it is atomic: after a crash the file has all lines
// or none. If the log has a prefix of the lines, it appends the rest and syncs once.
func (e *Engine) Restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (engine.Mark, error) {
	err := engine.CheckName(log)
	var end mark
	if err == nil {
		end, err = e.restore(ctx, log, lines)
	}
	if err != nil {
		return engine.Mark{}, fmt.Errorf("restore %s: %w", log, e.translate(err))
	}
	return end.exported(), nil
}

// restore appends the lines that the log lacks. If the log is no prefix of the lines, it changes nothing and returns
// [engine.ErrTaken].
func (e *Engine) restore(ctx context.Context, log string, lines iter.Seq2[[]byte, error]) (mark, error) {
	whole, err := line.Whole(lines)
	if err != nil {
		return mark{}, err
	}
	l, err := e.enterLog(ctx, log)
	if err != nil {
		return mark{}, err
	}
	defer l.leave()
	rest, err := line.After(whole, l.end.seq, l.end.hash)
	if err == nil && len(rest) > 0 {
		err = l.probeSpace()
	}
	switch {
	case err != nil || len(rest) == 0:
	case l.end.seq == 0:
		err = l.begin(ctx, rest)
	default:
		err = l.goOn(rest)
	}
	return l.end, err
}

// begin makes a journal of lines.
func (l *log) begin(ctx context.Context, lines []line.Sound) error {
	if l.file == nil {
		if err := l.create(); err != nil {
			return l.failed(err)
		}
	}
	l.known = false // the file is about to be another
	err := l.shut()
	if err == nil {
		err = l.disk.replace(l.path, joined(lines))
	}
	if err != nil {
		return l.failed(err)
	}
	return l.reopen(ctx)
}

// goOn puts lines after the end.
func (l *log) goOn(lines []line.Sound) error {
	text := joined(lines)
	_, err := l.file.WriteAt(text, l.end.size)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return l.failed(err)
	}
	last := lines[len(lines)-1]
	l.end = mark{seq: last.Seq, hash: last.Hash, size: l.end.size + int64(len(text))}
	l.late.add(l)
	return nil
}

// joined is lines as they stand in a file.
func joined(lines []line.Sound) []byte {
	var out bytes.Buffer
	for _, one := range lines {
		out.Write(one.Text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}
