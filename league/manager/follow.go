package manager

import (
	"context"
	"iter"
	"sync"

	"agentleague/league"
)

// Sequence returns the number of the newest visible entry of the log.
func (l *ledger) Sequence() uint64 {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()
	return l.feed.last
}

// Follow yields the entries after number after, 0 for all, in order and without a gap: first the past entries, then new
// ones. It ends without an error when ctx or the manager ends. A slow follower reads older entries from the log;
// nothing is buffered for it.
func (l *ledger) Follow(ctx context.Context, after uint64) iter.Seq2[league.Happened, error] {
	return func(yield func(league.Happened, error) bool) {
		for {
			news, grown, atHand := l.feed.after(after)
			if !atHand {
				news = l.history(ctx, after)
			}
			for h, err := range news {
				if ctx.Err() != nil {
					return
				}
				if !yield(h, err) || err != nil {
					return
				}
				after = h.Seq
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return
			case <-l.ctx.Done():
				return
			}
		}
	}
}

// history reads the visible entries after number after from the log.
func (l *ledger) history(ctx context.Context, after uint64) iter.Seq2[league.Happened, error] {
	return func(yield func(league.Happened, error) bool) {
		last := l.Sequence()
		for e, err := range l.log.Read(ctx, l.opts.LeagueID, after+1) {
			if err != nil {
				yield(league.Happened{}, err)
				return
			}
			at, events, err := league.DecodeBatch(e.Data)
			if e.Seq > last || !yield(league.Happened{Seq: e.Seq, At: at, Events: events}, err) || err != nil {
				return
			}
		}
	}
}

// Limits of the newest entries that are kept in memory for followers.
const (
	atHandEntries = 256
	atHandEvents  = 4096
)

// A feed holds the newest entries of a log, and notifies waiters of new ones.
type feed struct {
	mu     sync.Mutex
	last   uint64            // the newest entry
	recent []league.Happened // up to the newest, without gaps
	events int               // in them
	grown  chan struct{}
}

// add makes an entry visible.
func (f *feed) add(h league.Happened) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.recent, f.events = h.Seq, append(f.recent, h), f.events+len(h.Events)
	for len(f.recent) > 1 && (len(f.recent) > atHandEntries || f.events > atHandEvents) {
		f.events -= len(f.recent[0].Events)
		f.recent[0] = league.Happened{}
		f.recent = f.recent[1:]
	}
	f.wakeReaders()
}

// reset sets the end of the log, and drops the entries in memory.
func (f *feed) reset(last uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.recent, f.events = last, nil, 0
	f.wakeReaders()
}

// wakeReaders wakes the goroutines that wait for a new entry. The caller holds the lock of the feed.
func (f *feed) wakeReaders() {
	if f.grown != nil {
		close(f.grown)
		f.grown = nil
	}
}

// after returns the entries after number seq from memory, and a channel that is closed when more arrive. If memory
// lacks some of these entries, atHand is false, and the caller must read the log.
func (f *feed) after(seq uint64) (news iter.Seq2[league.Happened, error], grown <-chan struct{}, atHand bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.last + 1 - uint64(len(f.recent))
	if seq+1 < first {
		closed := make(chan struct{})
		close(closed) // the caller retries at once
		return nil, closed, false
	}
	if f.grown == nil {
		f.grown = make(chan struct{})
	}
	var left []league.Happened
	if seq < f.last {
		left = append(left, f.recent[seq+1-first:]...)
	}
	return func(yield func(league.Happened, error) bool) {
		for _, h := range left {
			if !yield(h, nil) {
				return
			}
		}
	}, f.grown, true
}
