package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"agentleague/store/wal"
)

// recordsLog is the name of the log with the records of a folder, in the format of package wal. No record has such
// a name.
const recordsLog = "records.log"

// Kinds of entries in a records.log. A key is MATCH.ATTEMPT; in the log of a league, which has one record per
// match, the attempt is 0.
const (
	entryRecord    = 1 + iota // key: SHA-256 of the record, name; body: the record
	entryOrder                // key: name; body: the order by which it was played, which holds tokens
	entryReported             // key: name: the manager has the result
	entryUndecided            // key: name; body: a match that waits for its draw
	entryDecided              // key: name: it waits no longer
	entryHeld                 // key: SHA-256, MATCH/REFEREE/ATTEMPT: the record that counts is in the log of that referee
	entryImported             // no key: the files of an earlier version were taken over
)

// minDead is the minimum number of dead bytes in a records.log for a compaction.
const minDead = 64 << 10

// A recordAt is the position of a record, and its SHA-256.
type recordAt struct {
	at  wal.Pos
	sum [sha256.Size]byte
}

// A heldAt is a record in the log of a referee on this data directory.
type heldAt struct {
	referee string
	attempt int
	sum     [sha256.Size]byte
}

// A waitingEntry is an order or an undecided match.
type waitingEntry struct {
	at   wal.Pos
	size int
}

// A recordIndex is the state of a records.log. It is safe for concurrent use.
type recordIndex struct {
	mu        sync.Mutex
	records   map[lineKey]recordAt
	orders    map[lineKey]waitingEntry // of results that the manager may not have
	undecided map[lineKey]waitingEntry
	held      map[string]heldAt // by match
	imported  bool

	entries, dead, deadBytes int // dead entries are those that change nothing any more
}

// Reset forgets everything.
func (x *recordIndex) Reset() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.records, x.orders, x.undecided = map[lineKey]recordAt{}, map[lineKey]waitingEntry{}, map[lineKey]waitingEntry{}
	x.held, x.imported = map[string]heldAt{}, false
	x.entries, x.dead, x.deadBytes = 0, 0, 0
}

// Apply takes an entry.
func (x *recordIndex) Apply(it wal.Item) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var sum [sha256.Size]byte
	name := it.Key
	if it.Kind == entryRecord || it.Kind == entryHeld {
		if len(name) < len(sum) {
			return
		}
		name = name[copy(sum[:], name):]
	}
	x.entries++
	switch key := cutName(name); it.Kind {
	case entryRecord:
		x.records[key] = recordAt{it.At, sum}
		delete(x.held, key.match)
	case entryOrder:
		x.endEntry(x.orders, key)
		x.orders[key] = waitingEntry{it.At, it.Size}
	case entryReported:
		x.endEntry(x.orders, key)
		x.countDead(it.Size)
	case entryUndecided:
		x.endEntry(x.undecided, key)
		x.undecided[key] = waitingEntry{it.At, it.Size}
	case entryDecided:
		x.endEntry(x.undecided, key)
		x.countDead(it.Size)
	case entryHeld:
		match, by, _ := strings.Cut(name, "/")
		referee, attempt, _ := strings.Cut(by, "/")
		n, _ := strconv.Atoi(attempt)
		x.held[match] = heldAt{referee, n, sum}
		delete(x.records, lineKey{match: match})
	case entryImported:
		x.imported = true
	}
}

// endEntry removes an entry from a list; it is dead.
func (x *recordIndex) endEntry(list map[lineKey]waitingEntry, key lineKey) {
	if was, ok := list[key]; ok {
		delete(list, key)
		x.countDead(was.size)
	}
}

// countDead counts a dead entry of size bytes.
func (x *recordIndex) countDead(size int) {
	x.dead++
	x.deadBytes += size
}

// needsCompaction reports whether the log of a referee needs a compaction: at least half of its entries, and at least
// minDead bytes, are dead.
func (x *recordIndex) needsCompaction() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return 2*x.dead >= x.entries && x.deadBytes >= minDead
}

// isNeeded reports whether a compaction must keep an entry in the log of a referee: a record, or an order or undecided
// match that is still needed.
func (x *recordIndex) isNeeded(it wal.Item) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch it.Kind {
	case entryOrder:
		return x.orders[cutName(it.Key)].at == it.At
	case entryUndecided:
		return x.undecided[cutName(it.Key)].at == it.At
	case entryReported, entryDecided:
		return false
	}
	return true
}

// record returns the position of a record in the log.
func (x *recordIndex) record(key lineKey) (recordAt, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r, ok := x.records[key]
	return r, ok
}

// holder returns which referee's log has the record of a match.
func (x *recordIndex) holder(match string) (heldAt, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	h, ok := x.held[match]
	return h, ok
}

// list returns the keys of all records in the log and of all records to which it refers.
func (x *recordIndex) list() (keys []lineKey) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for key := range x.records {
		keys = append(keys, key)
	}
	for match := range x.held {
		keys = append(keys, lineKey{match: match})
	}
	return keys
}

// cutName splits the name of an entry into the id of the match and the attempt, which is 0 if the name has none.
func cutName(name string) lineKey {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil {
			return lineKey{name[:at], n}
		}
	}
	return lineKey{match: name}
}

// name returns the name of an entry: the id of the match and the attempt.
func (k lineKey) name() string { return k.match + "." + strconv.Itoa(k.attempt) }

// recordEntry returns the log entry for a record.
func recordEntry(name string, sum [sha256.Size]byte, document []byte) wal.Entry {
	return wal.Entry{Kind: entryRecord, Key: string(sum[:]) + name, Body: document}
}

// RecordOf returns the match of an entry in a records.log, and the attempt, which is 0 in the log of a league.
func RecordOf(it wal.Item) (match string, attempt int) {
	name := it.Key
	if it.Kind == entryRecord || it.Kind == entryHeld {
		name = name[min(sha256.Size, len(name)):]
	}
	match, _, held := strings.Cut(name, "/")
	if held {
		return match, 0
	}
	key := cutName(name)
	return key.match, key.attempt
}

// readRecord reads the record at a position, and verifies the hash of its entry.
func readRecord(log interface {
	Read(wal.Pos) (wal.Entry, error)
}, name string, r recordAt) ([]byte, error) {
	e, err := log.Read(r.at)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(e.Body) != r.sum {
		return nil, fmt.Errorf("%s: damaged: a record does not have its SHA-256; restore the file from a backup", name)
	}
	return e.Body, nil
}

// A followed is a read-only view of a records.log that another process may write and compact. It is safe for
// concurrent use.
type followed struct {
	name   string
	index  recordIndex
	reader *wal.Reader
	mu     sync.Mutex // held from a look into the index until the entry is read: a refresh may change all places
}

// follow returns the view of the log with a name in root.
func follow(root fs.FS, name string) *followed {
	f := &followed{name: name}
	f.index.Reset()
	f.reader = wal.NewReader(root, name, &f.index)
	return f
}

// refresh reads the entries appended since the last call. A file that is missing or that this user may not read
// counts as empty.
func (f *followed) refresh() (wal.Scanned, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.reader.Refresh()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		f.index.Reset()
		return wal.Scanned{}, f.reader.Close()
	}
	return s, err
}

// get returns a record, or [fs.ErrNotExist].
func (f *followed) get(key lineKey) ([]byte, error) {
	return f.read(key, func(recordAt) bool { return true })
}

// read returns a record if right returns true for its entry, or else [fs.ErrNotExist].
func (f *followed) read(key lineKey, right func(recordAt) bool) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.index.record(key)
	if !ok || !right(r) {
		return nil, fs.ErrNotExist
	}
	return readRecord(f.reader, f.name, r)
}

// has reports whether there is a record with that hash.
func (f *followed) has(key lineKey, sum [sha256.Size]byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.index.record(key)
	return ok && r.sum == sum
}

// holder returns where the record of a match is held.
func (f *followed) holder(match string) (heldAt, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.index.holder(match)
}

// list returns the keys of all records.
func (f *followed) list() []lineKey {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.index.list()
}

// parseHash decodes a SHA-256 hash from hexadecimal text; ok is false for other text.
func parseHash(hash string) (sum [sha256.Size]byte, ok bool) {
	if len(hash) != 2*len(sum) {
		return sum, false
	}
	_, err := hex.Decode(sum[:], []byte(hash))
	return sum, err == nil
}
