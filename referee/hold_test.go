package referee_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// A fullDisk keeps no record while it is full.
type fullDisk struct {
	referee.Memory
	full atomic.Bool
}

func (d *fullDisk) Record(ctx context.Context, f *referee.Finished) error {
	if d.full.Load() {
		return errors.New("no space left on device")
	}
	return d.Memory.Record(ctx, f)
}

// While nothing can be recorded, no agent receives the result or the end of a match; the referee keeps its matches and
// accepts only as many as it has slots.
func TestMatchThatCannotBeRecordedIsHeldUntilItCan(t *testing.T) {
	d := &fullDisk{}
	d.full.Store(true)
	withReferee(t, setting{recorder: d}, func(h *harness) {
		for n, id := range []string{"R1M1", "R1M2", "R1M3"} {
			m := order()
			m.MatchID = id
			want := []string{protocol.Accepted, protocol.Accepted, protocol.Busy}[n]
			if n == 2 {
				pass(10 * time.Minute)
			}
			if status, err := h.start(m); status != want || err != nil {
				t.Errorf("%s: got %q, %v, want %s", id, status, err, want)
			}
		}
		if got := len(h.sentTo("", protocol.TypeGameOver, protocol.TypeMatchResultReport)); got != 0 {
			t.Errorf("%d messages tell of an end that is not on record", got)
		}
		if status, err := h.start(order()); status != protocol.Accepted || err != nil {
			t.Errorf("asked again for a match that it holds: got %q, %v, want ACCEPTED", status, err)
		}
		d.full.Store(false)
		h.referee.Wait()
		if got := len(h.heardBy("LM", protocol.TypeMatchResultReport)); got != 2 {
			t.Errorf("the manager has %d results, want 2", got)
		}
		for _, text := range []string{"a match cannot be recorded; the referee keeps it and tries again until it can", "matches can be recorded again"} {
			if n := strings.Count(h.logged(), text); n != 1 {
				t.Errorf("said %d times, want once: %s", n, text)
			}
		}
	})
}
