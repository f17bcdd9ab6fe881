package player

import (
	"testing"
	"time"

	"agentleague/protocol"
)

// A player whose clock is wrong has the time that the referee states, and no more.
func TestADeadlineHoldsByAnyClock(t *testing.T) {
	sent := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h := &protocol.Envelope{Timestamp: protocol.Stamp(sent)}
	deadline := protocol.Stamp(sent.Add(30 * time.Second))
	for _, c := range []struct {
		ahead, want time.Duration
	}{
		{0, 30 * time.Second}, {time.Second, 29 * time.Second}, {-time.Second, 31 * time.Second},
		{time.Hour, 28 * time.Second}, {-time.Hour, 28 * time.Second},
		{24 * time.Hour, 28 * time.Second}, {-24 * time.Hour, 28 * time.Second},
	} {
		now := sent.Add(c.ahead)
		if got := dueAt(h, deadline, now).Sub(now); got != c.want {
			t.Errorf("a clock that is ahead by %v: %v are left, want %v", c.ahead, got, c.want)
		}
	}
	if due := dueAt(h, "soon", sent); !due.IsZero() {
		t.Errorf("an unreadable deadline is %v", due)
	}
	if q := (inquiry{due: dueAt(h, deadline, sent.Add(time.Hour))}); !q.inTime(sent.Add(time.Hour+20*time.Second)) ||
		q.inTime(sent.Add(time.Hour+40*time.Second)) {
		t.Error("what is in time does not follow from the deadline")
	}
}
