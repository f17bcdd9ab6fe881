package files

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"

	"agentleague/protocol"
)

// Most orders are the same when their match is over as when it began. So they are written while it is played, in one go
// with others, and the end of a match waits for the disk once instead of twice:
//
//	begun ── foresee ─▶ unsaid ─ flush, sync of any commit ─▶ on disk
//	over  ── stage ──▶ its record: a commit without a word about the order, if that is on disk

// maxForeseen is how many orders a queue remembers of matches that are not over. Of others it has them written again.
const maxForeseen = 1 << 14

// maxUnsaid is how many bytes of orders wait for a commit before they are written without one.
const maxUnsaid = 64 << 10

// A foreseen order is one of a match that is not over yet.
type foreseen struct {
	hash [sha256.Size]byte
	line int // the number of its line among all that were said
}

// Begun has the order of a match written that begins, without waiting for the disk. If it is the same when the record
// is saved, that need not be written then. Nothing of order is kept. An order that cannot be written now is written
// with its record.
func (s *Records) Begun(ref protocol.RecordRef, order []byte) error {
	name, err := s.name(ref)
	if err == nil {
		err = s.makeFolder(path.Dir(name))
	}
	if err == nil {
		err = s.queue(ref.LeagueID).foresee(ref, order)
	}
	return s.root.told(err)
}

// foresee has an order written within one of the next commits.
func (q *queue) foresee(ref protocol.RecordRef, order []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, err := q.read(); err != nil {
		return err
	}
	if err := q.shorten(); err != nil {
		return err
	}
	if err := q.say(queued{MatchID: ref.MatchID, Attempt: ref.Attempt, Order: order}); err != nil {
		return err
	}
	if q.foreseen == nil || len(q.foreseen) >= maxForeseen {
		q.foreseen = map[protocol.RecordRef]foreseen{}
	}
	q.foreseen[ref] = foreseen{sha256.Sum256(order), q.said}
	if len(q.unsaid) > maxUnsaid && !q.awaited() { // whoever waits has it written and synced
		return q.flush()
	}
	return nil
}

// foresaw reports whether an order was said when its match began. If it is not on disk yet the next commit sees to
// that. The caller holds the lock.
func (q *queue) foresaw(ref protocol.RecordRef, order []byte) bool {
	f, ok := q.foreseen[ref]
	if !ok || f.hash != sha256.Sum256(order) {
		return false
	}
	delete(q.foreseen, ref)
	q.needed = max(q.needed, f.line)
	return true
}

// onDisk notes that all lines up to one are on disk.
func (q *queue) onDisk(line int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.durable = max(q.durable, line)
}

// doubt notes that a commit has failed. What was written may not be on disk, so that the next one syncs it; and orders
// of matches that are not over are said again with their records.
func (q *queue) doubt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.urgent, q.needed, q.foreseen = true, 0, nil
}

// recorded drops the orders of matches that have no record: they were never over, and nobody is told how they ended.
func (q *queue) recorded(orders map[protocol.RecordRef][]byte) map[protocol.RecordRef][]byte {
	lines := &roundLog{root: q.root, folder: q.folder} // its own: this one may be in use by who asks
	defer lines.close()
	for _, ref := range slices.SortedFunc(maps.Keys(orders), compareRefs) { // so that each round is read once
		_, err := lines.get(lineKey{ref.MatchID, ref.Attempt})
		if !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		_, err = os.Lstat(q.root.path(q.folder + "/" + ref.MatchID + "." + strconv.Itoa(ref.Attempt) + ".json"))
		if errors.Is(err, fs.ErrNotExist) {
			delete(orders, ref)
		}
	}
	return orders
}
