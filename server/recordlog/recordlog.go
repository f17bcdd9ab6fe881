// Package recordlog keeps the match records of a league in a root, and also in a log of a cluster, so that the disk of a
// manager takes none with it:
//
//	Store ─▶ root ─▶ waiting ── all that wait, at once ─▶ log records.<league>
//	whoever takes the league over ◀── what its root lacks ──┘
//
// What is in the root but not in the log when a manager dies is fetched again from the referee that made it.
package recordlog

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

// Options say what is kept where. All are needed.
type Options struct {
	Root   league.Records                     // keeps records in the root
	Load   func(match string) ([]byte, error) // finds them there
	Engine engine.Engine                      // of the cluster
	League string                             // whose records they are
	Logger *slog.Logger                       // is told what the cluster does not have
	Start  func(func())                       // runs what the league waits for when it is closed
	Life   func() context.Context             // ends when the league is closed; asked for when there is something to write
}

// A Log keeps the records of one league. It is a [league.Records].
type Log struct {
	Options

	mu      sync.Mutex
	seq     uint64            // the last entry of the log that was read or written
	kept    map[string]string // hashes of the records that the log has, or that wait, by match
	waiting []keptRecord
	writing bool
	idle    chan struct{} // closed when nothing waits
}

var _ league.Records = (*Log)(nil)

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

// Open brings those records to the root that others have kept in the cluster, and keeps further ones in both.
func Open(ctx context.Context, o Options) (*Log, error) {
	r := &Log{Options: o, kept: map[string]string{}, idle: make(chan struct{})}
	close(r.idle)
	if err := r.restore(ctx); err != nil {
		return nil, fmt.Errorf("the records that other managers kept: %w", err)
	}
	return r, nil
}

// name is that of the log.
func (r *Log) name() string { return "records." + r.League }

// restore brings to the root what the log has beyond it.
func (r *Log) restore(ctx context.Context) error {
	return r.catchUp(ctx, func(k keptRecord, hash string) error {
		if r.Root.Has(k.Match, hash) {
			return nil
		}
		return r.Root.Store(k.Match, []byte(k.Record))
	})
}

// catchUp reads what others have written to the log.
func (r *Log) catchUp(ctx context.Context, each func(k keptRecord, hash string) error) error {
	r.mu.Lock()
	from := r.seq + 1
	r.mu.Unlock()
	for e, err := range r.Engine.Read(ctx, r.name(), from) {
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

func (r *Log) know(match, hash string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[match] = hash
}

// Has reports whether the root has the record of a match. One that the log lacks is on its way there from now on.
func (r *Log) Has(match, hash string) bool {
	if !r.Root.Has(match, hash) {
		return false
	}
	r.mu.Lock()
	known := hash == "" || r.kept[match] == hash // what has no hash follows from the league's log
	r.mu.Unlock()
	if known {
		return true
	}
	if document, err := r.Load(match); err == nil {
		r.add(match, document)
	}
	return true
}

// Store keeps a record in the root at once, and in the log soon.
func (r *Log) Store(match string, document []byte) error {
	if err := r.Root.Store(match, document); err != nil {
		return err
	}
	r.add(match, document)
	return nil
}

// add has a record written to the log.
func (r *Log) add(match string, document []byte) {
	if len(document) > largestRecord || !utf8.Valid(document) {
		r.Logger.Warn("a match record is kept by this manager and its referee alone, for its size or its letters",
			slog.String("match_id", match), slog.Int("bytes", len(document)))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[match] = protocol.RecordHash(document)
	r.waiting = append(r.waiting, keptRecord{match, string(document)})
	if !r.writing {
		r.writing, r.idle = true, make(chan struct{})
		r.Start(r.write)
	}
}

// write writes until nothing waits, or nothing can be written any more.
func (r *Log) write() {
	for {
		list := r.take()
		if list == nil {
			return
		}
		if err := r.append(list); err != nil {
			r.Logger.Warn("match records are kept by this manager and their referees alone",
				slog.Int("records", len(list)), slog.Any("error", err))
		}
	}
}

// take returns what goes into the next entry, or nil when nothing waits.
func (r *Log) take() (list []keptRecord) {
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
func (r *Log) append(list []keptRecord) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	life := r.Life()
	for {
		ctx, cancel := life, context.CancelFunc(func() {})
		if life.Err() != nil {
			ctx, cancel = context.WithTimeout(context.WithoutCancel(life), lastTry)
		}
		at, err := r.Engine.Append(ctx, r.name(), r.end(), data)
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
		rest(life, appendAgain)
	}
}

// end is the last entry of the log that is known.
func (r *Log) end() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq
}

// Flushed waits until the log has all records that the root has, or ctx ends.
func (r *Log) Flushed(ctx context.Context) {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// rest waits a while, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
