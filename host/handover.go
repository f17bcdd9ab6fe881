package host

import (
	"context"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// A handover is the recorder of a referee that leaves at the end of its league: it tracks which records the manager has
// fetched. It is safe for concurrent use.
type handover struct {
	referee.Recorder
	has func(ref protocol.RecordRef) bool // a manager on this data directory has the record

	mu       sync.Mutex
	reported map[protocol.RecordRef]bool // whether the manager has fetched the record
	asked    time.Time                   // of the last request for a record
}

// Reported adds a record that the manager has to fetch.
func (h *handover) Reported(ctx context.Context, ref protocol.RecordRef) error {
	h.mu.Lock()
	h.reported[ref] = h.reported[ref]
	h.mu.Unlock()
	return h.Recorder.Reported(ctx, ref)
}

// Document returns a record to the manager, and counts it as fetched.
func (h *handover) Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error) {
	h.mu.Lock()
	h.reported[ref], h.asked = true, time.Now()
	h.mu.Unlock()
	return h.Recorder.Document(ctx, ref)
}

// After the end of its league a referee waits until the manager has fetched its records. After the last one it waits
// for idleTimeout, because the manager may repeat the request. It gives up after requestTimeout without a request.
const (
	idleTimeout    = 5 * time.Second
	requestTimeout = 10 * time.Minute
)

// wait returns when the manager has fetched all records, when it has requested none for requestTimeout, or when ctx
// ends.
func (h *handover) wait(ctx context.Context) {
	over := time.Now()
	for {
		open, asked := h.open()
		if open == 0 && time.Since(asked) >= idleTimeout || time.Since(over) >= requestTimeout && time.Since(asked) >= requestTimeout {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}

// open returns the number of records that the manager has not fetched, and the time of its last request.
func (h *handover) open() (n int, asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ref, fetched := range h.reported {
		if !fetched && h.has(ref) {
			h.reported[ref] = true
		} else if !fetched {
			n++
		}
	}
	return n, h.asked
}
