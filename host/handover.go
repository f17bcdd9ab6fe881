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
	has func(ref protocol.RecordRef) bool // a manager on this root has the record

	mu       sync.Mutex
	reported map[protocol.RecordRef]bool // whether the manager has fetched the record
	asked    time.Time                   // of the last request for a record
}

// Reported adds a record that the manager is going to fetch.
func (h *handover) Reported(ctx context.Context, ref protocol.RecordRef) error {
	h.mu.Lock()
	h.reported[ref] = h.reported[ref]
	h.mu.Unlock()
	return h.Recorder.Reported(ctx, ref)
}

// Document returns a record that the manager fetches.
func (h *handover) Document(ctx context.Context, ref protocol.RecordRef) ([]byte, error) {
	h.mu.Lock()
	h.reported[ref], h.asked = true, time.Now()
	h.mu.Unlock()
	return h.Recorder.Document(ctx, ref)
}

// A referee stays after the end of its league until the manager has its records: for stayAfter after the last request,
// which the manager may repeat, and for stayMost if the manager does not request them all.
const (
	stayAfter = 5 * time.Second
	stayMost  = 10 * time.Minute
)

// wait returns when the manager has the records, when it has not requested any for stayMost, or with ctx.
func (h *handover) wait(ctx context.Context) {
	over := time.Now()
	for {
		open, asked := h.open()
		if open == 0 && time.Since(asked) >= stayAfter || time.Since(over) >= stayMost && time.Since(asked) >= stayMost {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}

// open counts the records that the manager does not have, and returns the time of its last request.
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
