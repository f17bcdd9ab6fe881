package store

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"agentleague/config"
	"agentleague/protocol"
	"agentleague/store/wal"
)

// Matches stores the records that count in one league, byte for byte: their hashes are in the journal.
//
//	data/leagues/<league_id>/records.log          records that no referee on this root has; references to the others
//	data/referees/<id>/<league_id>/records.log    the others
//	data/matches/<league_id>/<match_id>.json      all of them, for people: see [Readable]
//
// The files for people are written in the background and without an fsync; [Matches.Flush] waits for them. Records of
// earlier versions are read in place. Only one process at a time may write. The methods are safe for concurrent use.
type Matches struct {
	root   *Root
	league string
	view   *RecordFS // all readable records

	mu  sync.Mutex
	log *wal.Log // nil: this process has not written to it

	writing sync.Mutex // held while a file for people is written; before showing
	showing sync.Mutex
	unshown []string        // the matches whose files for people may be missing
	known   map[string]bool // the same
	queued  bool            // some of them will be written
}

// Matches returns the records of a league. All callers for a data directory share them. The methods return an error for
// an invalid id.
func (r *Root) Matches(league string) *Matches {
	m, ok := r.matches.Load(league)
	if !ok {
		m, _ = r.matches.LoadOrStore(league, &Matches{root: r, league: league, view: ShowRecords(os.DirFS(r.dir))})
	}
	return m.(*Matches)
}

// A RemovedError reports that the records of a league were removed. It is an [ErrNoRecord].
type RemovedError struct{ LeagueID, At string }

func (e *RemovedError) Error() string {
	return fmt.Sprintf("the match records of %s were removed at %s; a backup from before has them", e.LeagueID, e.At)
}

// Unwrap returns ErrNoRecord.
func (e *RemovedError) Unwrap() error { return ErrNoRecord }

// Load returns the record of a match, or an [ErrNoRecord], which is a [RemovedError] after the removal of the records.
func (s *Matches) Load(match string) ([]byte, error) {
	if err := s.check(match); err != nil {
		return nil, err
	}
	text, err := s.view.Record(s.league, match)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if at, removed := RecordsRemoved(os.DirFS(s.root.dir), s.league); removed {
		return nil, &RemovedError{s.league, at}
	}
	return nil, fmt.Errorf("match %s of %s: %w", match, s.league, ErrNoRecord)
}

// Has reports whether the record of a match is stored intact. With a hash the record must match it, and Has also
// schedules the write of a missing file for people; without one, the record must be valid JSON.
func (s *Matches) Has(match, hash string) bool {
	text, err := s.Load(match)
	if err != nil || hash == "" && !json.Valid(text) || hash != "" && protocol.RecordHash(text) != hash {
		return false
	}
	if hash != "" {
		s.show(match)
	}
	return true
}

// Store stores a record, and replaces an older one of the match. It does not wait for the disk: a manager fetches
// a lost record again.
func (s *Matches) Store(match string, document []byte) error {
	if err := s.check(match); err != nil {
		return err
	}
	sum := sha256.Sum256(document)
	if s.hasRecord(match, sum) {
		return nil
	}
	err := s.append(recordEntry(lineKey{match: match}.name(), sum, document))
	if err == nil {
		s.show(match)
	}
	return err
}

// hasRecord reports whether the logs have the record of a match with that hash.
func (s *Matches) hasRecord(match string, sum [sha256.Size]byte) bool {
	text, err := s.view.logged(s.league, match)
	return err == nil && sha256.Sum256(text) == sum
}

// append opens the log for writing, if it is not open, and appends entries to it.
func (s *Matches) append(list ...wal.Entry) error {
	s.mu.Lock()
	err := s.open()
	s.mu.Unlock()
	if err == nil && len(list) > 0 {
		err = s.log.Append(false, list...)
	}
	return s.root.wrapFull(err)
}

// open opens the log for writing. The caller holds the lock.
func (s *Matches) open() (err error) {
	if s.log != nil {
		return nil
	}
	folder := "data/leagues/" + s.league
	if err = s.root.makeFolder(folder); err == nil {
		s.log, err = wal.Open(wal.OS{}, s.root.path(folder+"/"+recordsLog), 0o644, unfolded{})
	}
	return err
}

// Adopt marks records in the log of a referee on this data directory as counted, without copying them. It reports for
// each whether the log has it with the given hash, in hexadecimal. All refs must be of this league, and of different
// matches.
func (s *Matches) Adopt(referee string, refs []protocol.RecordRef, hashes []string) (kept []bool) {
	kept = make([]bool, len(refs))
	var list []wal.Entry
	var at []int
	for i, ref := range refs {
		sum, ok := parseHash(hashes[i])
		if !ok || ref.LeagueID != s.league || s.check(ref.MatchID) != nil || config.CheckID("referee id", referee) != nil {
			continue
		}
		if s.view.has(referee, s.league, lineKey{ref.MatchID, ref.Attempt}, sum) {
			name := ref.MatchID + "/" + referee + "/" + strconv.Itoa(ref.Attempt)
			list, at = append(list, wal.Entry{Kind: entryHeld, Key: string(sum[:]) + name}), append(at, i)
		}
	}
	if s.append(list...) != nil {
		return kept
	}
	for _, i := range at {
		kept[i] = true
		s.show(refs[i].MatchID)
	}
	return kept
}

// Shown returns the number of matches with a file for people or with a record of an earlier version.
func (s *Matches) Shown() (int, error) {
	list, err := (&RecordFS{below: s.view.below, oldOnly: true}).ReadDir("data/matches/" + s.league)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	n := 0
	for _, e := range list {
		if e.Name()[0] != '.' {
			n++
		}
	}
	return n, err
}

// Flush returns when the files for people are up to date with the records.
func (s *Matches) Flush() {
	for more := true; more; {
		more = s.writeFirst(false)
	}
}

// show schedules the file for people of a match.
func (s *Matches) show(match string) {
	s.showing.Lock()
	defer s.showing.Unlock()
	if s.known[match] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.unshown, s.known[match] = append(s.unshown, match), true
	if !s.queued {
		s.queued = true
		derived.add(s)
	}
}

// writeNext implements [pending].
func (s *Matches) writeNext() (more bool) { return s.writeFirst(true) }

// writeFirst writes the file for people of the match that waits longest, and reports whether more are waiting. A failed
// write is retried when the record of the match is next requested.
func (s *Matches) writeFirst(inTurn bool) (more bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	match, more := s.nextUnshown(inTurn)
	if match != "" {
		_ = s.write(match)
	}
	return more
}

// nextUnshown removes the first match from those that wait; "" means that there is none. If it is called in turn and
// no more are waiting, the turns end.
func (s *Matches) nextUnshown(inTurn bool) (match string, more bool) {
	s.showing.Lock()
	defer s.showing.Unlock()
	if len(s.unshown) > 0 {
		match, s.unshown = s.unshown[0], s.unshown[1:]
		delete(s.known, match)
	}
	more = len(s.unshown) > 0
	s.queued = s.queued && (more || !inTurn)
	return match, more
}

// Close flushes the files for people and closes the log. The next Store opens the log again.
func (s *Matches) Close() error {
	s.Flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// Show writes the file for people of a match outside a league, which has no other record.
func (s *Matches) Show(match string, document []byte) error {
	if err := s.check(match); err != nil {
		return err
	}
	return s.root.saveSoon("data/matches/"+s.league+"/"+match+".json", Readable(document))
}

// write writes the file for people of a match, unless it is up to date.
func (s *Matches) write(match string) error {
	document, err := s.view.logged(s.league, match)
	if err != nil {
		return nil // a file with a record of an earlier version
	}
	name := "data/matches/" + s.league + "/" + match + ".json"
	if text, err := os.ReadFile(s.root.path(name)); err == nil {
		if was, err := Shown(text); err == nil && sha256.Sum256(was) == sha256.Sum256(document) {
			return nil
		}
	}
	return s.root.saveSoon(name, Readable(document))
}

// unfolded is a wal.Fold that keeps no state: Matches reads its log through its RecordFS, which has the index.
type unfolded struct{}

func (unfolded) Reset()         {}
func (unfolded) Apply(wal.Item) {}

// check returns an error for ids that are unsafe in a path.
func (s *Matches) check(match string) error {
	return errors.Join(config.CheckID("league id", s.league), config.CheckID("match id", match))
}
