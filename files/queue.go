package files

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// queueName is the file of a queue in the folder of its league. No record is called so.
const queueName = "unreported.jsonl"

// maxQueue is how long a queue may be, in bytes, in which nothing waits any more.
const maxQueue = 256 << 10

// A queue is the orders behind one league's records of a referee, in one file that is only appended to and that nobody
// else may read. A line is an order, of which the last counts, or says that one is done with:
//
//	{"match_id":"R1M1","attempt":1,"order":"…base64…"}
//	{"match_id":"R1M1","attempt":1,"reported":true}
//
// A file in which nothing waits any more, and which is long, is thrown away.
type queue struct {
	root   *Root
	folder string // the league's, as in the root
	league string
	lines  *roundLog // the records that are committed with their orders
	synced *groupSync

	mu      sync.Mutex
	unsaid  []byte    // lines that are not written yet
	due     bool      // they will be
	since   time.Time // when the first of them was said that some order is done with; zero: none of them says so
	urgent  bool      // an order is among them, and its commit follows
	lost    int       // how often lines that were said may have been lost
	said    int       // lines so far
	wrote   int       // of those, how many are in the file
	durable int       // and how many are on disk for sure
	needed  int       // and how many have to be, since a record follows: a commit that finds them on disk writes none
	file    *os.File  // nil: not open
	size    int64
	torn    bool                        // it ends within a line
	waiting map[protocol.RecordRef]bool // nil: not read yet

	foreseen map[protocol.RecordRef]foreseen // of matches that are not over
}

// A queued line is what a queue says of one record.
type queued struct {
	MatchID  string `json:"match_id"`
	Attempt  int    `json:"attempt"`
	Order    []byte `json:"order,omitempty"`
	Reported bool   `json:"reported,omitempty"`
}

func newQueue(root *Root, folder, league string) *queue {
	return &queue{root: root, folder: folder, league: league, lines: &roundLog{root: root, folder: folder}, synced: newGroupSync()}
}

// add returns once an order is on disk. All that are added at the same time share one write and one sync.
func (q *queue) add(ref protocol.RecordRef, order []byte) error {
	return q.put(ref, order, func() bool { q.waiting[ref] = true; return true })
}

// replace returns once an order is on disk instead of the one that waits for a record, if any does.
func (q *queue) replace(ref protocol.RecordRef, order []byte) error {
	return q.put(ref, order, func() bool { return q.waiting[ref] })
}

// stage has an order written by the next commit, unless it is on disk.
func (q *queue) stage(ref protocol.RecordRef, order []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting != nil && q.foresaw(ref, order) {
		q.waiting[ref] = true
		return nil
	}
	_, err := q.next(ref, order, func() bool { q.waiting[ref] = true; return true })
	return err
}

// next adds an order to the lines that are to be written, if it is wanted. The caller holds the lock.
func (q *queue) next(ref protocol.RecordRef, order []byte, wanted func() bool) (added bool, err error) {
	if _, err := q.read(); err != nil {
		return false, err
	}
	if err := q.shorten(); err != nil || !wanted() {
		return false, err
	}
	q.urgent = true
	return true, q.say(queued{MatchID: ref.MatchID, Attempt: ref.Attempt, Order: order})
}

// put adds an order to the queue and returns once it is on disk. Puts at the same time share one sync; if that
// fails, all of them have failed.
func (q *queue) put(ref protocol.RecordRef, order []byte, wanted func() bool) error {
	q.mu.Lock()
	added, err := q.next(ref, order, wanted)
	lost := q.lost
	q.mu.Unlock()
	if err == nil && !added {
		return nil
	}
	if err == nil {
		err = q.synced.do(q.commit)
	}
	if err == nil && q.lostSince(lost) { // what another wrote failed, and this line with it
		err = fmt.Errorf("%s/%s: a write has failed", q.folder, queueName)
	}
	if err != nil {
		return fmt.Errorf("the order cannot be saved: %w", err)
	}
	return nil
}

// done notes that the order of a record is not needed any more. It does not wait for the disk, nor for anyone to write
// it: who does not know of it reports once more, which changes nothing.
func (q *queue) done(ref protocol.RecordRef) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known, err := q.read(); err != nil || !known[ref] {
		return err
	}
	delete(q.waiting, ref)
	if q.since.IsZero() {
		q.since = time.Now()
	}
	if !q.due {
		q.due = true
		time.AfterFunc(maxWait, q.tick)
	}
	return q.say(queued{MatchID: ref.MatchID, Attempt: ref.Attempt, Reported: true})
}

// say adds a line to those that are not written yet.
func (q *queue) say(line queued) error {
	b, err := line.append(q.unsaid)
	if err == nil {
		q.unsaid = append(b, '\n')
		q.said++
	}
	return err
}

// append writes a line as encoding/json does. There is one to every match, written while others wait: so it takes
// neither memory nor a deep stack.
func (l queued) append(b []byte) ([]byte, error) {
	if !config.ValidID(l.MatchID) {
		text, err := json.Marshal(l)
		return append(b, text...), err
	}
	b = append(append(append(b, `{"match_id":"`...), l.MatchID...), `","attempt":`...)
	b = strconv.AppendInt(b, int64(l.Attempt), 10)
	if len(l.Order) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"order":"`...), l.Order), '"')
	}
	if l.Reported {
		b = append(b, `,"reported":true`...)
	}
	return append(b, '}'), nil
}

// commit returns once every order that was staged is on disk: it writes what was said, if one of them is not. Then it
// commits the records behind the orders: one without an order counts as reported. If it fails, it does so for all of
// them.
func (q *queue) commit() error {
	upTo := 0
	file, err := q.lines.seal(func() (file *os.File, err error) {
		file, upTo, err = q.write()
		return file, err
	})
	if err == nil && file != nil {
		if err = file.Sync(); err == nil {
			q.onDisk(upTo)
		}
	}
	if err != nil {
		q.doubt()
		q.lines.drop()
		return err
	}
	return q.lines.commit()
}

// write writes what was said if somebody waits for it, and returns the file that is to be synced, nil if none is, and
// how many lines are in it then. Orders that the last commit has put on disk are not waited for, even if they were not
// there yet when their records were staged.
func (q *queue) write() (file *os.File, upTo int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.awaited() {
		return nil, 0, nil
	}
	if q.urgent || q.needed > q.wrote {
		err = q.flush()
	}
	return q.file, q.wrote, err
}

// awaited reports whether somebody waits for a line that is not on disk. Its commit follows, and hears of a failure.
func (q *queue) awaited() bool { return q.urgent || q.needed > q.durable }

// lostSince reports whether lines may have been lost since a time at which so many were.
func (q *queue) lostSince(lost int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lost != lost
}

// tick writes what has waited long enough: that something is done with. In a busy queue some commit has written that
// already, and what was said since waits for the next, until it has waited as long itself.
func (q *queue) tick() {
	q.mu.Lock()
	rest := maxWait - time.Since(q.since)
	if q.due = !q.since.IsZero() && rest > 0; q.due {
		time.AfterFunc(rest, q.tick)
	}
	late := !q.due && !q.since.IsZero()
	q.mu.Unlock()
	if late {
		q.flushLate()
	}
}

// flushLate writes what was said. If an order waits too, it is left to whoever waits for that, and hears of a failure.
func (q *queue) flushLate() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.awaited() {
		_ = q.flush()
	}
}

// shorten throws the file away if it is long and nothing in it waits.
func (q *queue) shorten() error {
	if len(q.waiting) > 0 || q.size <= maxQueue {
		return nil
	}
	if q.file != nil {
		_ = q.file.Close()
	}
	q.file, q.unsaid, q.size, q.torn, q.foreseen, q.needed = nil, q.unsaid[:0], 0, false, nil, 0
	q.since = time.Time{}
	if err := os.Remove(q.path()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// flush writes what was said.
func (q *queue) flush() error {
	q.urgent, q.since = false, time.Time{}
	if len(q.unsaid) == 0 {
		return nil
	}
	if err := q.open(); err != nil {
		q.unsaid, q.foreseen = q.unsaid[:0], nil
		q.lost++
		return err
	}
	n, err := q.file.Write(q.unsaid)
	q.size += int64(n)
	q.unsaid = q.unsaid[:0]
	if err != nil {
		q.letGo() // when it is opened again, a torn line is ended
		return err
	}
	q.wrote = q.said
	return nil
}

func (q *queue) path() string { return q.root.path(q.folder + "/" + queueName) }

// open opens the file for appending. What an interrupted write has left at its end is a line of its own.
func (q *queue) open() error {
	if q.file != nil {
		return nil
	}
	if _, err := q.read(); err != nil {
		return err
	}
	_, missing := os.Lstat(q.path())
	f, err := os.OpenFile(q.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if missing != nil {
		err = syncFolder(q.root.path(q.folder))
	} else if q.torn {
		_, err = f.Write([]byte(tornEnd))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	q.file = f
	return nil
}

// close lets go of the file until the next line.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.flush()
	if q.file != nil {
		q.letGo()
	}
}

// letGo closes the file. What it says is read again before the next line.
func (q *queue) letGo() {
	_ = q.file.Close()
	q.file, q.waiting, q.foreseen = nil, nil, nil
	q.lost++
}
