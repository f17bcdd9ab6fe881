package line

import (
	"bytes"
	"fmt"
	"iter"

	"agentleague/engine"
)

// Sound is a line that stands at its place in a log.
type Sound Record

// Whole reads the lines of a log, less their newlines, from the first on, and returns them if each follows the one
// before. The first that does not is [engine.ErrDamaged], by its number. The lines are copied. None at all is
// [engine.ErrEmpty].
func Whole(lines iter.Seq2[[]byte, error]) ([]Sound, error) {
	var out []Sound
	var end Record
	for text, err := range lines {
		if err != nil {
			return nil, err
		}
		text = bytes.Clone(text)
		r, err := Parse(text)
		n := len(out) + 1
		switch {
		case err != nil:
			return nil, wrong(n, err.Error())
		case r.Seq != uint64(n):
			return nil, wrong(n, fmt.Sprintf("its seq is %d", r.Seq))
		case r.Prev != end.Hash:
			return nil, wrong(n, fmt.Sprintf("its prev is not the SHA-256 of line %d: one of the two was changed", n-1))
		}
		out, end = append(out, Sound(r)), r
	}
	if len(out) == 0 {
		return nil, engine.ErrEmpty
	}
	return out, nil
}

func wrong(n int, what string) error {
	return fmt.Errorf("%w: line %d: %s", engine.ErrDamaged, n, what)
}

// After returns those of lines, a whole log, that follow the line with sequence seq and hash end. Seq 0 returns all. If
// no line has that sequence and hash, the error is [engine.ErrTaken].
func After(lines []Sound, seq uint64, end Hash) ([]Sound, error) {
	switch {
	case seq == 0:
		return lines, nil
	case seq > uint64(len(lines)):
		return nil, fmt.Errorf("%w: the log has %d entries and these are only %d", engine.ErrTaken, seq, len(lines))
	case lines[seq-1].Hash != end:
		return nil, fmt.Errorf("%w: the log has other entries", engine.ErrTaken)
	}
	return lines[seq:], nil
}
