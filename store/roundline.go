package store

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"agentleague/config"
	"agentleague/protocol"
)

// Earlier versions wrote the records of a large league as lines of one file per round:
//
//	{"match_id":"R12M7","attempt":1,"sha256":"…","record":{…}}
//
// The line contains the record's exact bytes, so that their SHA-256 is the reported one. The file is append-only. Of two
// lines about the same match the last one counts. A torn line after a crash is ignored, since it was never acknowledged.

// A lineKey identifies a record. A manager stores one record per match under attempt 0, which its lines omit.
type lineKey struct {
	match   string
	attempt int
}

// A span is the position of a record in a file, and its SHA-256.
type span struct {
	offset int64 // of the record's first byte
	size   int
	line   int // counted from 1
	hash   [32]byte
}

// roundOf returns the round of a match; 0: none.
func roundOf(match string) int {
	round, _, ok := protocol.ParseMatchID(match)
	if !ok {
		return 0
	}
	return round
}

// roundFile returns the name of the file that holds the records of a round as lines. Matches without a round share
// one.
func roundFile(round int) string { return "round-" + strconv.Itoa(round) + ".jsonl" }

// The constant parts of a line in a round's file.
var (
	lineMatch   = []byte(`{"match_id":"`)
	lineAttempt = []byte(`","attempt":`)
	lineHash    = []byte(`"sha256":"`)
	lineRecord  = []byte(`","record":`)
	lineEnd     = []byte("}\n")
)

// errNotALine means that a line is not in the format of any version.
var errNotALine = errors.New("it is not the line of a match's record")

// cutLine parses a line. The span's offset is relative to the line.
func cutLine(line []byte) (key lineKey, s span, err error) {
	rest, ok := bytes.CutPrefix(line, lineMatch)
	match, rest, ok2 := bytes.Cut(rest, []byte(`"`))
	if attempt, ok := bytes.CutPrefix(rest, lineAttempt[1:]); ok {
		digits, _, _ := bytes.Cut(attempt, []byte(","))
		if key.attempt, err = strconv.Atoi(string(digits)); err != nil {
			return key, s, errNotALine
		}
		rest = attempt[len(digits):]
	}
	rest, ok3 := bytes.CutPrefix(rest, append([]byte(","), lineHash...))
	if !ok || !ok2 || !ok3 || len(rest) < 64 || !config.ValidID(string(match)) {
		return key, s, errNotALine
	}
	if _, err := hex.Decode(s.hash[:], rest[:64]); err != nil {
		return key, s, errNotALine
	}
	record, ok := bytes.CutPrefix(rest[64:], lineRecord)
	if !ok || !bytes.HasSuffix(record, lineEnd) {
		return key, s, errNotALine
	}
	key.match = string(match)
	s.size, s.offset = len(record)-len(lineEnd), int64(len(line)-len(record))
	return key, s, nil
}

// A roundIndex is an index of the records in a round's file, up to the position that was read.
type roundIndex struct {
	at     map[lineKey]span
	end    int64 // the end of the indexed part; the next line begins there
	lines  int   // so far
	torn   bool  // a partial line follows the end
	damage error // names the invalid lines and the remedy
}

// refresh indexes the bytes appended to a file since the last call. name is used in errors.
func (x *roundIndex) refresh(name string, file io.ReaderAt, size int64) error {
	if x.at == nil {
		x.at = map[lineKey]span{}
	}
	if size <= x.end {
		return nil
	}
	text := make([]byte, size-x.end)
	n, err := file.ReadAt(text, x.end)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	x.torn = false
	for line := range bytes.Lines(text[:n]) {
		if line[len(line)-1] != '\n' {
			x.torn = true // or a write is in progress
			break
		}
		x.take(name, line)
	}
	return nil
}

// take indexes a complete line.
func (x *roundIndex) take(name string, line []byte) {
	x.lines++
	if !isUnwritten(line) {
		key, s, err := cutLine(line)
		if err == nil {
			s.offset, s.line = s.offset+x.end, x.lines
			x.at[key] = s
		} else {
			x.damage = errors.Join(x.damage, fmt.Errorf("%s:%d: damaged: %w; restore the file from a backup, or delete the "+
				"line: a manager fetches its copy of the record again, a referee's record is lost", name, x.lines, err))
		}
	}
	x.end += int64(len(line))
}

// read returns a record after verifying its SHA-256.
func (s span) read(name string, file io.ReaderAt) ([]byte, error) {
	document := make([]byte, s.size)
	if _, err := file.ReadAt(document, s.offset); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
	}
	if protocol.RecordHash(document) != hex.EncodeToString(s.hash[:]) {
		return nil, fmt.Errorf("%s:%d: damaged: the record does not have the SHA-256 of its line; restore the file from a "+
			"backup, or delete the line: a manager fetches its copy of the record again, a referee's record is lost", name, s.line)
	}
	return document, nil
}
