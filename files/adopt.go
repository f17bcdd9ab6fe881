package files

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"agentleague/config"
	"agentleague/protocol"
)

// A sealedLine is a record of a single line, with its SHA-256.
type sealedLine struct {
	key      lineKey
	hash     [sha256.Size]byte
	document []byte // nil: it is not there with that hash
	n        int    // its place among those that were asked for
}

// Adopt copies records that are lines of a referee's round files, and reports of each whether it is kept. Hashes are
// those that the reports named, in hexadecimal; refs are of this league, each of another match. Those that a round's
// file has are read, checked by their hashes and appended together, some hundred at a time. Like SaveLine it does not
// wait for the disk. One that is not kept may be a file of its own, or elsewhere.
func (s MatchRepository) Adopt(from *Records, refs []protocol.RecordRef, hashes []string) (kept []bool) {
	kept = make([]bool, len(refs))
	room := takeScratch()
	defer room.give()
	for wanted := s.sealed(refs, hashes); len(wanted) > 0; room.text = room.text[:0] {
		n := from.lines(s.league).readSealed(wanted, room)
		found := slices.DeleteFunc(slices.Clone(wanted[:n]), func(w sealedLine) bool { return w.document == nil })
		if s.lines().add(found...) == nil && s.unhide(found...) == nil {
			for _, w := range found {
				kept[w.n] = true
			}
		}
		wanted = wanted[n:]
	}
	return kept
}

// sealed lists the records that can be lines of this league.
func (s MatchRepository) sealed(refs []protocol.RecordRef, hashes []string) (out []sealedLine) {
	out = make([]sealedLine, 0, len(refs))
	for i, ref := range refs {
		w := sealedLine{key: lineKey{ref.MatchID, ref.Attempt}, n: i}
		n, err := hex.Decode(w.hash[:], []byte(hashes[i][:min(len(hashes[i]), 2*sha256.Size)]))
		if err == nil && n == sha256.Size && ref.LeagueID == s.league && config.ValidID(s.league) && config.ValidID(ref.MatchID) {
			out = append(out, w)
		}
	}
	return out
}

// unhide removes the files of records that are lines now: a file would be taken for the record.
func (s MatchRepository) unhide(records ...sealedLine) error {
	if !s.lines().loose() {
		return nil
	}
	for _, r := range records {
		name, err := s.name(r.key.match)
		if err != nil {
			return err
		}
		if err := os.Remove(s.root.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// A located is a record that is wanted, and where it stands in a file.
type located struct {
	span
	wanted *sealedLine
}

// readSealed reads the documents of those that are there with their hashes. It returns how many it has looked for:
// one at least, and no further once it has [maxBatch] bytes. The documents are in room.
func (l *roundLog) readSealed(wanted []sealedLine, room *scratch) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for size := 0; n < len(wanted) && size < maxBatch; {
		r, err := l.load(wanted[n].key.match)
		found := make([]located, 0, len(wanted)-n)
		for ; n < len(wanted) && roundOf(wanted[n].key.match) == r.n && size < maxBatch; n++ {
			if s, ok := r.index.at[wanted[n].key]; err == nil && ok && s.hash == wanted[n].hash {
				found, size = append(found, located{s, &wanted[n]}), size+s.size
			}
		}
		slices.SortFunc(found, func(a, b located) int { return cmp.Compare(a.offset, b.offset) })
		for len(found) > 0 {
			run := runOf(found)
			readRun(r.file, run, room)
			found = found[len(run):]
		}
	}
	return n
}

// maxBetween is how many bytes that nobody wants are read for having those around them at once: a line or two.
const maxBetween = 16 << 10

// runOf returns the first of some records, in the order in which they stand in a file, that are read at once.
func runOf(found []located) []located {
	for i := 1; i < len(found); i++ {
		if before := found[i-1]; found[i].offset-before.offset-int64(before.size) > maxBetween {
			return found[:i]
		}
	}
	return found
}

// readRun reads the documents of records that stand together. One whose bytes do not have the hash of its line is
// left out: whoever reads it alone is told what is wrong.
func readRun(file io.ReaderAt, run []located, room *scratch) {
	first, last := run[0], run[len(run)-1]
	text := room.more(int(last.offset + int64(last.size) - first.offset))
	if _, err := file.ReadAt(text, first.offset); err != nil {
		return
	}
	for _, f := range run {
		at := f.offset - first.offset
		if document := text[at : at+int64(f.size) : at+int64(f.size)]; sha256.Sum256(document) == f.hash {
			f.wanted.document = document
		}
	}
}
