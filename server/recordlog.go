package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// A recordLog keeps the match records of a league in the root, and also in a log of the cluster, so that the disk of a
// manager takes none with it:
//
//	Store ─▶ root ─▶ waiting ── all that wait, at once ─▶ log records.<league>
//	whoever takes the league over ◀── what its root lacks ──┘
//
// What is in the root but not in the log when a manager dies is fetched again from the referee that made it.
type recordLog struct {
	league.Records                                    // the root's
	load           func(match string) ([]byte, error) // from the root
	engine         engine.Engine
	name           string
	logger         *slog.Logger
	start          func(func()) // runs what the league waits for when it is closed
	life           func() context.Context

	mu      sync.Mutex
	seq     uint64            // the last entry of the log that was read or written
	kept    map[string]string // hashes of the records that the log has, or that wait, by match
	waiting []keptRecord
	writing bool
	idle    chan struct{} // closed when nothing waits
}

// A keptRecord is a record as the log has it.
type keptRecord struct {
	Match  string `json:"match"`
	Record string `json:"record"` // its text
}

// How much goes into one entry of the log, in bytes of records. The cluster takes a megabyte.
const (
	recordsInEntry = 256 << 10
	largestRecord  = 700 << 10
)

// keepRecords has the records of a league kept in the cluster too, and brings those to the root that others kept there.
func (s *shared) keepRecords(l *League) error {
	o := &l.opts
	r := &recordLog{
		Records: o.Records, load: recordsOf(l.Env, o.LeagueID), engine: s.disk, name: "records." + o.LeagueID, logger: o.Logger,
		start: l.work, life: func() context.Context { return l.life }, kept: map[string]string{}, idle: make(chan struct{}),
	}
	close(r.idle)
	if err := r.restore(s.life); err != nil {
		return fmt.Errorf("the records that other managers kept: %w", err)
	}
	l.records, o.Records = r, r
	if adopt := o.Adopt; adopt != nil {
		o.Adopt = func(referee string, ref protocol.RecordRef, hash string) bool {
			return adopt(referee, ref, hash) && r.Has(ref.MatchID, hash)
		}
	}
	return nil
}

// restore brings to the root what the log has beyond it.
func (r *recordLog) restore(ctx context.Context) error {
	return r.catchUp(ctx, func(k keptRecord, hash string) error {
		if r.Records.Has(k.Match, hash) {
			return nil
		}
		return r.Records.Store(k.Match, []byte(k.Record))
	})
}

// catchUp reads what others have written to the log.
func (r *recordLog) catchUp(ctx context.Context, each func(k keptRecord, hash string) error) error {
	r.mu.Lock()
	from := r.seq + 1
	r.mu.Unlock()
	for e, err := range r.engine.Read(ctx, r.name, from) {
		var list []keptRecord
		if err == nil {
			err = json.Unmarshal(e.Data, &list)
		}
		if err != nil {
			return err
		}
		for _, k := range list {
			hash := protocol.RecordHash([]byte(k.Record))
			if err := each(k, hash); err != nil {
				return err
			}
			r.know(k.Match, hash)
		}
		r.mu.Lock()
		r.seq = e.Seq
		r.mu.Unlock()
	}
	return nil
}

func (r *recordLog) know(match, hash string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[match] = hash
}

// Has reports whether the root has the record of a match. One that the log lacks is on its way there from now on.
func (r *recordLog) Has(match, hash string) bool {
	if !r.Records.Has(match, hash) {
		return false
	}
	r.mu.Lock()
	known := hash == "" || r.kept[match] == hash // what has no hash follows from the league's log
	r.mu.Unlock()
	if known {
		return true
	}
	if document, err := r.load(match); err == nil {
		r.add(match, document)
	}
	return true
}

// Store keeps a record in the root at once, and in the log soon.
func (r *recordLog) Store(match string, document []byte) error {
	if err := r.Records.Store(match, document); err != nil {
		return err
	}
	r.add(match, document)
	return nil
}

// add has a record written to the log.
func (r *recordLog) add(match string, document []byte) {
	if len(document) > largestRecord || !utf8.Valid(document) {
		r.logger.Warn("a match record is kept by this manager and its referee alone, for its size or its letters",
			slog.String("match_id", match), slog.Int("bytes", len(document)))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[match] = protocol.RecordHash(document)
	r.waiting = append(r.waiting, keptRecord{match, string(document)})
	if !r.writing {
		r.writing, r.idle = true, make(chan struct{})
		r.start(r.write)
	}
}

// write writes until nothing waits, or nothing can be written any more.
func (r *recordLog) write() {
	for {
		list := r.take()
		if list == nil {
			return
		}
		if err := r.append(list); err != nil {
			r.logger.Warn("match records are kept by this manager and their referees alone",
				slog.Int("records", len(list)), slog.Any("error", err))
		}
	}
}

// take returns what goes into the next entry, or nil when nothing waits.
func (r *recordLog) take() (list []keptRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < len(r.waiting) && (n == 0 || size+len(r.waiting[n].Record) <= recordsInEntry) {
		size += len(r.waiting[n].Record)
		n++
	}
	if n == 0 {
		r.waiting, r.writing = nil, false
		close(r.idle)
		return nil
	}
	list, r.waiting = r.waiting[:n:n], r.waiting[n:]
	return list
}

// lastTry is how long records may take to be written when their league is closed, and appendAgain how long to wait
// before one that could not be written is tried again.
const (
	lastTry     = 2 * time.Second
	appendAgain = 200 * time.Millisecond
)

// append writes an entry, after whatever another manager has written meanwhile.
func (r *recordLog) append(list []keptRecord) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	life := r.life()
	for {
		ctx, cancel := life, context.CancelFunc(func() {})
		if life.Err() != nil {
			ctx, cancel = context.WithTimeout(context.WithoutCancel(life), lastTry)
		}
		at, err := r.engine.Append(ctx, r.name, r.end(), data)
		if errors.Is(err, engine.ErrFenced) {
			err = r.catchUp(ctx, func(keptRecord, string) error { return nil })
			if err == nil {
				cancel()
				continue
			}
		}
		cancel()
		if err == nil {
			r.mu.Lock()
			r.seq = at.Seq
			r.mu.Unlock()
			return nil
		}
		if life.Err() != nil {
			return err
		}
		await(life.Done(), appendAgain)
	}
}

// end is the last entry of the log that is known.
func (r *recordLog) end() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq
}

// flushed waits until the log has all records that the root has, or ctx ends.
func (r *recordLog) flushed(ctx context.Context) {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
