package web

import (
	"context"
	"sort"
	"sync"
	"time"

	"agentleague/league"
)

// A hub sends a league's log to all viewers. Each entry is encoded once, and the entries of a moment are one piece of
// memory, compressed once, from which all viewers write. A viewer takes the next piece after it has written the one
// before: nothing is buffered per viewer, and a viewer that falls behind the hub's memory has to reconnect.
type hub struct {
	m Season

	mu      sync.Mutex
	viewers int
	stop    context.CancelFunc
	pending chunk
	chunks  []chunk // oldest first, without gaps, up to pending
	size    int     // of chunks, in bytes
	told    time.Time
	timer   *time.Timer
	grown   chan struct{} // closed when there is another chunk
}

// A chunk holds log entries that are sent together, in encoded form.
type chunk struct {
	first uint64
	ends  []int // where each entry ends
	piece
}

// A piece is data that is sent to a viewer in one write.
type piece struct {
	body   []byte
	packed []byte // the same, compressed by packPiece; nil if no viewer has needed it
}

func (p piece) size() int { return len(p.body) + len(p.packed) }

// after returns the part of the chunk that follows an entry.
func (c chunk) after(seq uint64) piece {
	if seq < c.first {
		return c.piece
	}
	return piece{body: c.body[c.ends[seq-c.first]:]}
}

func (c chunk) next() uint64 { return c.first + uint64(len(c.ends)) }

const (
	hubBytes   = 4 << 20 // that are remembered
	chunkBytes = 256 << 10
)

// join registers a viewer. The hub follows the log while it has viewers.
func (h *hub) join() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.viewers++; h.viewers > 1 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	from := h.m.Sequence()
	h.stop, h.chunks, h.size, h.pending = stop, nil, 0, chunk{first: from + 1}
	go h.run(ctx, from)
}

// leave is called when a viewer disconnects. With the last viewer the hub stops following the league and frees its
// memory: a league without viewers costs nothing.
func (h *hub) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.viewers--; h.viewers > 0 {
		return
	}
	h.stop()
	h.chunks, h.size, h.pending = nil, 0, chunk{}
}

// run follows the log until the last viewer has left or the manager ends.
func (h *hub) run(ctx context.Context, from uint64) {
	for e, err := range h.m.Follow(ctx, from) {
		if err != nil {
			return // present viewers get no more entries; a reconnecting viewer reads the log itself and gets the error
		}
		h.add(ctx, e)
	}
}

// add queues an entry of the log for all viewers. If the previous one was sent long ago, it is sent at once; otherwise
// it is sent together with those that follow within the interval of rhythm, so that a fast league causes few, larger
// writes.
func (h *hub) add(ctx context.Context, e league.Happened) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil { // another run serves the present viewers
		return
	}
	h.pending.body = appendEvent(h.pending.body, e)
	h.pending.ends = append(h.pending.ends, len(h.pending.body))
	rest := h.rhythm() - time.Since(h.told)
	switch {
	case rest <= 0 || len(h.pending.body) >= chunkBytes:
		h.flush()
	case h.timer == nil:
		h.timer = time.AfterFunc(rest, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.timer = nil
			h.flush()
		})
	}
}

// rhythm returns the interval at which viewers are woken, which grows with their number.
func (h *hub) rhythm() time.Duration {
	return min(max(time.Duration(h.viewers)*time.Millisecond, 50*time.Millisecond), 2*time.Second)
}

// flush sends the pending entries to all viewers. The caller holds the lock.
func (h *hub) flush() {
	if len(h.pending.ends) == 0 {
		return
	}
	h.pending.packed = packPiece(h.pending.body)
	h.chunks, h.size, h.told = append(h.chunks, h.pending), h.size+h.pending.size(), time.Now()
	h.pending = chunk{first: h.pending.next()}
	for h.size > hubBytes && len(h.chunks) > 1 {
		h.size -= h.chunks[0].size()
		h.chunks[0] = chunk{}
		h.chunks = h.chunks[1:]
	}
	if h.grown != nil {
		close(h.grown)
		h.grown = nil
	}
}

// after returns the entries after seq in one chunk, and the sequence of the last of them. If there are none yet, it
// returns a channel that is closed when there are. known is false if the hub no longer holds the entry after seq.
func (h *hub) after(seq uint64) (p piece, last uint64, grown <-chan struct{}, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.pending.first
	if len(h.chunks) > 0 {
		first = h.chunks[0].first
	}
	if seq+1 < first {
		return p, seq, nil, false
	}
	if i := sort.Search(len(h.chunks), func(i int) bool { return h.chunks[i].next() > seq+1 }); i < len(h.chunks) {
		return h.chunks[i].after(seq), h.chunks[i].next() - 1, nil, true
	}
	if h.grown == nil {
		h.grown = make(chan struct{})
	}
	return p, seq, h.grown, true
}
