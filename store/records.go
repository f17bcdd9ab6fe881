package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"agentleague/config"
	"agentleague/protocol"
	"agentleague/store/wal"
)

// ErrNoRecord says that there is no such record.
var ErrNoRecord = errors.New("no such record")

// Records durably stores what one referee needs to report the results of its matches after a restart. It has one log per
// league:
//
//	data/referees/<id>/<league_id>/records.log    records, orders until their results are reported, undecided matches
//
// When a process first uses a log it compacts it if enough entries are dead; records keep their exact bytes. Only the
// owner can read the log, because orders contain tokens. Records of earlier versions are read in place. The methods
// are safe for concurrent use.
type Records struct {
	root *Root
	id   func() string

	mu      sync.Mutex
	folder  string // of the referee in the root; "": the id is not known yet
	leagues map[string]*leagueLog
}

// A leagueLog is a referee's log for one league.
type leagueLog struct {
	root   *Root
	folder string // in the data directory
	league string
	log    *wal.Log
	index  recordIndex
	old    *RecordFS // files of earlier versions; nil: there are none

	places sync.RWMutex // held for writing while a compaction changes the places of all entries
	mu     sync.Mutex
	made   bool                          // the folder is on disk
	damage error                         // in orders that were taken over
	saving map[lineKey][sha256.Size]byte // records on their way to the log
}

// Records returns the records of a referee in all leagues.
func (r *Root) Records(referee string) (*Records, error) {
	if err := config.CheckID("referee id", referee); err != nil {
		return nil, err
	}
	return r.RecordsOf(func() string { return referee }), nil
}

// RecordsOf is like Records for a referee that has no id yet. It calls id when the first record is stored or read.
func (r *Root) RecordsOf(id func() string) *Records {
	return &Records{root: r, id: id, leagues: map[string]*leagueLog{}}
}

// Save stores a record and its order, atomically and durably. Saving the same record again is a no-op, even if its
// order was removed since; a different record of the same attempt is an error. If the disk is full it returns a
// [FullError].
func (s *Records) Save(ref protocol.RecordRef, document, order []byte) error {
	return s.SaveHashed(ref, document, protocol.RecordHash(document), order)
}

// SaveHashed is Save for a caller that has the hash of the document, in the form of [protocol.RecordHash]. It does
// not retain its arguments.
func (s *Records) SaveHashed(ref protocol.RecordRef, document []byte, hash string, order []byte) error {
	l, err := s.of(ref)
	if err != nil {
		return err
	}
	if !isAbout(document, ref) {
		if err := checkRecord(document, ref); err != nil {
			return fmt.Errorf("%s: %w", l.name(ref), err)
		}
	}
	sum, ok := parseHash(hash)
	if !ok {
		return fmt.Errorf("match %s: %q is not the hash of a record", ref.MatchID, hash)
	}
	return s.root.wrapFull(l.save(lineKey{ref.MatchID, ref.Attempt}, document, sum, order))
}

// save appends a record and its order.
func (l *leagueLog) save(key lineKey, document []byte, sum [sha256.Size]byte, order []byte) error {
	if err := l.prepare(); err != nil {
		return err
	}
	if there, err := l.claim(key, sum); there || err != nil {
		return err
	}
	defer l.release(key)
	return l.log.Append(true, recordEntry(key.name(), sum, document), wal.Entry{Kind: entryOrder, Key: key.name(), Body: order})
}

// claim reserves the key of a record for saving, and reports whether the same record is in the log already. A
// different record, stored or being saved, is an error. Check and claim are atomic; the caller must release the
// claim.
func (l *leagueLog) claim(key lineKey, sum [sha256.Size]byte) (there bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, there := l.index.record(key)
	if !there && l.old != nil {
		text, err := fs.ReadFile(l.old, l.folder+"/"+key.file())
		if err == nil {
			was.sum, there = sha256.Sum256(text), true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	if on, saving := l.saving[key]; saving && !there {
		was.sum = on
	} else if !there {
		l.saving[key] = sum
		return false, nil
	}
	if was.sum != sum {
		return there, fmt.Errorf("%s/%s: there is already another record of this attempt", l.folder, key.file())
	}
	return there, nil
}

func (l *leagueLog) release(key lineKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.saving, key)
}

// prepare makes the log ready for writing, once per process: it creates the folder durably, imports the orders of
// an earlier version and compacts the log.
func (l *leagueLog) prepare() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made {
		return nil
	}
	if err := l.root.makeFolder(l.folder); err != nil {
		return err
	}
	damage, err := l.takeOver()
	if err != nil {
		return err
	}
	l.compact()
	l.made, l.damage = true, damage
	return nil
}

// compact removes reported orders and decided matches from the log if they are at least half of it. A failed
// compaction, for example on a full disk, leaves the log unchanged; the next process retries it.
func (l *leagueLog) compact() {
	if !l.index.needsCompaction() {
		return
	}
	l.places.Lock()
	defer l.places.Unlock()
	_ = l.log.Compact(l.index.isNeeded)
}

// of checks the ids of ref, and returns the log of its league.
func (s *Records) of(ref protocol.RecordRef) (*leagueLog, error) {
	if err := checkRef(ref); err != nil {
		return nil, err
	}
	return s.openLog(ref.LeagueID)
}

// checkRef refuses what no record is called.
func checkRef(ref protocol.RecordRef) error {
	if ref.Attempt < 0 {
		return fmt.Errorf("match %.64q: attempt %d: want 0 or more", ref.MatchID, ref.Attempt)
	}
	return errors.Join(config.CheckID("league id", ref.LeagueID), config.CheckID("match id", ref.MatchID))
}

// openLog returns the log of a league, and opens it at the first call.
func (s *Records) openLog(league string) (*leagueLog, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.leagues[league]; l != nil {
		return l, nil
	}
	folder, err := s.refereeFolder()
	if err != nil {
		return nil, err
	}
	l := &leagueLog{root: s.root, folder: folder + "/" + league, league: league, saving: map[lineKey][sha256.Size]byte{}}
	if l.old, err = oldRecords(s.root, l.folder); err != nil {
		return nil, err
	}
	l.log, err = wal.Open(wal.OS{}, s.root.path(l.folder+"/"+recordsLog), 0o600, &l.index)
	if err != nil {
		return nil, err
	}
	s.leagues[league] = l
	return l, nil
}

// refereeFolder returns the name of the referee's folder in the data directory. The caller holds the lock.
func (s *Records) refereeFolder() (string, error) {
	if s.folder == "" {
		id := s.id()
		if err := config.CheckID("referee id", id); err != nil {
			return "", err
		}
		s.folder = "data/referees/" + id
	}
	return s.folder, nil
}

// allLogs returns the referee's logs of all leagues. For unreadable ones it returns an error in addition to the others.
func (s *Records) allLogs() (all []*leagueLog, failed error) {
	s.mu.Lock()
	folder, err := s.refereeFolder()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	list, failed := entries(s.root.path(folder))
	for _, e := range list {
		if !e.IsDir() || !config.ValidID(e.Name()) {
			continue
		}
		l, err := s.openLog(e.Name())
		if err == nil {
			err = errors.Join(l.prepare(), l.log.Damage())
			all = append(all, l)
		}
		failed = errors.Join(failed, err)
	}
	return all, failed
}

// Close closes the logs. A later call of Save opens them again.
func (s *Records) Close() (failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.leagues {
		failed = errors.Join(failed, l.log.Close())
	}
	return failed
}

// SaveOrder durably replaces the order of a record. If the order was removed, because the result was reported, it
// does nothing.
func (s *Records) SaveOrder(ref protocol.RecordRef, order []byte) error {
	return s.root.wrapFull(s.note(ref, entryOrder, order, (*recordIndex).ordersOf))
}

// Reported records that the manager has acknowledged the result of a record. A power failure may lose this entry:
// the result is then reported again, which is idempotent.
func (s *Records) Reported(ref protocol.RecordRef) error {
	return s.root.wrapFull(s.note(ref, entryReported, nil, (*recordIndex).ordersOf))
}

// RemoveUndecided removes a match that no longer waits for its draw. It does nothing for an unknown match.
func (s *Records) RemoveUndecided(ref protocol.RecordRef) error {
	return s.root.wrapFull(s.note(ref, entryDecided, nil, (*recordIndex).undecidedOf))
}

// SaveUndecided durably stores a match that waits for its draw.
func (s *Records) SaveUndecided(ref protocol.RecordRef, text []byte) error {
	return s.root.wrapFull(s.note(ref, entryUndecided, text, nil))
}

// note appends an entry about a match. If in is not nil, it does so only for a match in that list of the index. It
// waits for an fsync if the entry is an order or an undecided match, which cannot be derived again.
func (s *Records) note(ref protocol.RecordRef, kind byte, body []byte, in func(*recordIndex) map[lineKey]waitingEntry) error {
	l, err := s.of(ref)
	if err == nil {
		err = l.prepare()
	}
	if err != nil {
		return err
	}
	key := lineKey{ref.MatchID, ref.Attempt}
	if in != nil && !l.index.has(in, key) {
		return l.log.Damage()
	}
	durable := kind == entryOrder || kind == entryUndecided
	return l.log.Append(durable, wal.Entry{Kind: kind, Key: key.name(), Body: body})
}

func (x *recordIndex) ordersOf() map[lineKey]waitingEntry    { return x.orders }
func (x *recordIndex) undecidedOf() map[lineKey]waitingEntry { return x.undecided }

// has reports whether a match is in a list.
func (x *recordIndex) has(in func(*recordIndex) map[lineKey]waitingEntry, key lineKey) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := in(x)[key]
	return ok
}

// Document returns a record byte for byte, or [ErrNoRecord].
func (s *Records) Document(ref protocol.RecordRef) ([]byte, error) {
	if err := checkRef(ref); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecord, err) // nothing was ever saved under such a name
	}
	l, err := s.openLog(ref.LeagueID)
	if err != nil {
		return nil, err
	}
	text, err := l.document(ref)
	if err == nil {
		if wrong := checkRecord(text, ref); wrong != nil {
			return nil, fmt.Errorf("%s: damaged: %w", l.name(ref), wrong)
		}
	}
	return text, err
}

// document returns a record from the log or from the files of an earlier version, or an [ErrNoRecord].
func (l *leagueLog) document(ref protocol.RecordRef) ([]byte, error) {
	key := lineKey{ref.MatchID, ref.Attempt}
	if text, there, err := l.logged(key); there {
		return text, err
	}
	if l.old != nil {
		text, err := fs.ReadFile(l.old, l.folder+"/"+key.file())
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	if err := l.log.Damage(); err != nil {
		return nil, err // the record may be in the part that is damaged
	}
	return nil, noRecord(ref)
}

// logged returns a record from the log, if it is there.
func (l *leagueLog) logged(key lineKey) (text []byte, there bool, err error) {
	l.places.RLock()
	defer l.places.RUnlock()
	r, there := l.index.record(key)
	if there {
		text, err = readRecord(l.log, l.folder+"/"+recordsLog, r)
	}
	return text, there, err
}

// Sealed returns a record, byte for byte, if it has the reported hash; otherwise it returns [ErrNoRecord].
func (s *Records) Sealed(ref protocol.RecordRef, hash string) ([]byte, error) {
	if err := checkRef(ref); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecord, err)
	}
	l, err := s.openLog(ref.LeagueID)
	if err != nil {
		return nil, err
	}
	text, err := l.document(ref)
	if err == nil && protocol.RecordHash(text) != hash {
		return nil, fmt.Errorf("%s: not the one that was reported: %w", l.name(ref), ErrNoRecord)
	}
	return text, err
}

// name is how a record is called in errors.
func (l *leagueLog) name(ref protocol.RecordRef) string {
	return l.folder + "/" + lineKey{ref.MatchID, ref.Attempt}.name()
}

// Unreported is a record whose result the manager has not acknowledged.
type Unreported struct {
	Ref      protocol.RecordRef
	Document []byte
	Order    []byte
}

// Unreported yields the records whose results were not acknowledged, in all leagues, ordered by league, round,
// match and attempt. For damage it yields an error that names the place, and continues with the other matches.
func (s *Records) Unreported() iter.Seq2[Unreported, error] {
	return func(yield func(Unreported, error) bool) {
		all, err := s.allLogs()
		for _, l := range all {
			err = errors.Join(err, l.damage)
		}
		if err != nil && !yield(Unreported{}, err) {
			return
		}
		for _, l := range all {
			for _, w := range l.waiting((*recordIndex).ordersOf) {
				order, err := l.log.Read(w.at)
				var doc []byte
				if err == nil {
					doc, err = s.Document(w.ref)
				}
				if !yield(Unreported{Ref: w.ref, Document: doc, Order: order.Body}, err) {
					return
				}
			}
		}
	}
}

// Undecided is a match that was played to its last move and waits for the manager's draw.
type Undecided struct {
	Ref  protocol.RecordRef
	Text []byte // in the referee's own form
}

// Undecided returns the matches that wait for their draw, in all leagues. For unreadable ones it returns an error
// in addition to the others.
func (s *Records) Undecided() (found []Undecided, failed error) {
	all, failed := s.allLogs()
	for _, l := range all {
		for _, w := range l.waiting((*recordIndex).undecidedOf) {
			e, err := l.log.Read(w.at)
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			found = append(found, Undecided{w.ref, e.Body})
		}
	}
	return found, failed
}

// A waitingAt is a match that waits for its draw or for an acknowledgement, and the position of its entry.
type waitingAt struct {
	ref protocol.RecordRef
	at  wal.Pos
}

// waiting lists the matches that in selects from the index, in the order of play.
func (l *leagueLog) waiting(in func(*recordIndex) map[lineKey]waitingEntry) (out []waitingAt) {
	l.index.mu.Lock()
	list := maps.Clone(in(&l.index))
	l.index.mu.Unlock()
	for key, e := range list {
		out = append(out, waitingAt{protocol.RecordRef{LeagueID: l.league, MatchID: key.match, Attempt: key.attempt}, e.at})
	}
	slices.SortFunc(out, func(a, b waitingAt) int { return compareRefs(a.ref, b.ref) })
	return out
}

// noRecord is an [ErrNoRecord] that names the match. It formats its text on demand, since it is frequent and rarely
// printed.
type noRecord protocol.RecordRef

func (e noRecord) Error() string {
	return fmt.Sprintf("match %s of %s, attempt %d: %v", e.MatchID, e.LeagueID, e.Attempt, ErrNoRecord)
}

// Unwrap returns ErrNoRecord.
func (e noRecord) Unwrap() error { return ErrNoRecord }

// checkRecord returns an error unless document is the record of ref.
func checkRecord(document []byte, ref protocol.RecordRef) error {
	var is protocol.RecordRef
	if err := json.Unmarshal(document, &is); err != nil {
		return err
	}
	if is != ref {
		return fmt.Errorf("it is about match %.64q of %.64q, attempt %d", is.MatchID, is.LeagueID, is.Attempt)
	}
	return nil
}

// entries lists a folder without hidden files. A missing folder is empty.
func entries(folder string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name()[0] == '.' }), err
}

// compareRefs orders records by league, then by round and number, so that the oldest is reported first. R10 comes
// after R9.
func compareRefs(a, b protocol.RecordRef) int {
	roundA, numberA, _ := protocol.ParseMatchID(a.MatchID)
	roundB, numberB, _ := protocol.ParseMatchID(b.MatchID)
	return cmp.Or(
		cmp.Compare(a.LeagueID, b.LeagueID),
		cmp.Compare(roundA, roundB), cmp.Compare(numberA, numberB),
		cmp.Compare(a.MatchID, b.MatchID), cmp.Compare(a.Attempt, b.Attempt),
	)
}

// isAbout is a fast check that a document is the record of ref, without decoding it. It searches the text before
// the first list or nested object for the encoded members, which works because ids need no escape in JSON. It may
// return false for the right record, but never true for a wrong one.
func isAbout(document []byte, ref protocol.RecordRef) bool {
	_, rest, _ := bytes.Cut(document, []byte("{"))
	flat := rest[:max(bytes.IndexAny(rest, "[{"), 0)]
	return bytes.IndexByte(flat, '\\') < 0 && hasMember(flat, `"match_id"`, `"`+ref.MatchID+`"`) && hasMember(flat, `"league_id"`, `"`+ref.LeagueID+`"`) &&
		hasMember(flat, `"attempt"`, strconv.Itoa(ref.Attempt))
}

// hasMember reports whether a list of members in JSON has exactly one member of that name, with that value, and not as
// the last member.
func hasMember(flat []byte, name, value string) bool {
	_, after, found := bytes.Cut(flat, []byte(name))
	after, colon := bytes.CutPrefix(after, []byte(":"))
	after, same := bytes.CutPrefix(bytes.TrimPrefix(after, []byte(" ")), []byte(value))
	return found && colon && same && bytes.HasPrefix(after, []byte(",")) && !bytes.Contains(after, []byte(name))
}
