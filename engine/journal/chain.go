package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"agentleague/engine"
	"agentleague/engine/line"
)

// mark is the end of a line in a journal: its sequence, its hash, and the size of the file up to there.
type mark struct {
	seq  uint64
	hash line.Hash
	size int64
}

// exported is the mark in its exported form.
func (m mark) exported() engine.Mark {
	return engine.Mark{Seq: m.seq, Hash: m.hash.String()}
}

// chain follows a journal from line to line.
type chain struct {
	path string
	head mark // has to be passed; its size does not matter
	at   mark // all before it is sound
}

// errTorn means that the last line of a journal is incomplete. All lines before it are valid.
var errTorn = errors.New("the last line is torn")

// follow verifies and yields the lines after c.at, and advances c.at. A record is valid until the next iteration. An
// error comes last: errTorn, damage, or the error of r.
func (c *chain) follow(r io.Reader) iter.Seq2[line.Record, error] {
	lines := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
	return func(yield func(line.Record, error) bool) {
		for {
			text, err := lines.next()
			if err != nil && err != io.EOF {
				yield(line.Record{}, fmt.Errorf("%s: %w", c.path, err))
				return
			}
			if err == io.EOF && len(text) == 0 {
				if err := c.end(); err != nil {
					yield(line.Record{}, err)
				}
				return
			}
			rec, err := c.step(text, &lines)
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// step verifies the next line and advances c.at.
func (c *chain) step(full []byte, lines *lineReader) (line.Record, error) {
	text, whole := bytes.CutSuffix(full, []byte("\n"))
	// A line that was not completely written to disk ends early or contains zeros, which a valid line never does.
	if !whole { // the file ended in it; its writer may have continued since
		return line.Record{}, c.torn()
	}
	if bytes.IndexByte(text, 0) >= 0 {
		if lines.atEnd() {
			return line.Record{}, c.torn()
		}
		return line.Record{}, c.damaged(line.ErrForm.Error())
	}
	rec, err := line.Parse(text)
	switch {
	case err != nil:
		return rec, c.damaged(err.Error())
	case rec.Seq != c.at.seq+1:
		return rec, c.damaged(fmt.Sprintf("its seq is %d, want %d", rec.Seq, c.at.seq+1))
	case rec.Prev != c.at.hash:
		return rec, c.damaged(fmt.Sprintf("its prev is not the SHA-256 of line %d: one of the two was changed", c.at.seq))
	}
	next := mark{seq: rec.Seq, hash: rec.Hash, size: c.at.size + int64(len(full))}
	if next.seq == c.head.seq && next.hash != c.head.hash {
		return rec, c.damaged("its SHA-256 is not the one in " + headFile + ": one of the two was changed")
	}
	c.at = next
	return rec, nil
}

// torn returns errTorn, or damage if the torn line was acknowledged.
func (c *chain) torn() error {
	if err := c.end(); err != nil {
		return err
	}
	return errTorn
}

// end returns damage if the journal ends before its head.
func (c *chain) end() error {
	if c.at.seq < c.head.seq {
		return c.lost()
	}
	return nil
}

func (c *chain) lost() error {
	return c.damaged(fmt.Sprintf("the journal ends before its head: line %d was acknowledged", c.head.seq))
}

// damaged names the line after c.at.
func (c *chain) damaged(what string) error {
	return damaged(c.path, c.at.seq+1, what)
}

// damaged returns a [DamageError] for a line of a journal.
func damaged(path string, line uint64, what string) error {
	return &DamageError{Path: path, Line: line, What: what}
}

// A DamageError is an [engine.ErrDamaged] with the file and the line.
type DamageError struct {
	Path string // of the journal or its head
	Line uint64
	What string
}

// Error names the place and the remedy.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s:%d: %v: %s; keep a copy of the file as it is, then put %s and %s back from a backup",
		e.Path, e.Line, engine.ErrDamaged, e.What, journalFile, headFile)
}

// Unwrap returns [engine.ErrDamaged].
func (e *DamageError) Unwrap() error { return engine.ErrDamaged }

// lineReader reads lines of any length. Lines that fit into its buffer are not copied.
type lineReader struct {
	r    *bufio.Reader
	long []byte
}

// next returns the next line with its newline, which the last line may lack. The result is valid until the next call.
// At the end it returns io.EOF.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		l.long = append(l.long, line...)
	}
	return l.long, err
}

// atEnd reports whether no line follows. It invalidates the result of next.
func (l *lineReader) atEnd() bool {
	_, err := l.r.Peek(1)
	return err == io.EOF
}

// The files of one log.
const (
	journalFile = "journal.jsonl"
	headFile    = "journal.head"
)

func headPath(journal string) string {
	return filepath.Join(filepath.Dir(journal), headFile)
}

// HeadPath returns the path of the head file, which records the last acknowledged line, for a journal's path.
func HeadPath(journal string) string { return headPath(journal) }

// appendHead encodes a head file.
func appendHead(b []byte, m mark) []byte { return line.AppendHead(b, m.seq, m.hash) }

// parseHead parses a head file. It accepts only the exact output of appendHead.
func parseHead(text []byte) (m mark, ok bool) {
	m.seq, m.hash, ok = line.ParseHead(text)
	return m, ok
}
