package manager

import (
	"testing"
	"time"
)

func TestNoWaitIsLongerThanItsPeriod(t *testing.T) {
	now := time.Now().UTC().Round(0) // as in a log
	for age, least := range map[time.Duration]time.Duration{
		0: 9 * time.Minute, 5 * time.Minute: 4 * time.Minute, 24 * time.Hour: -24 * time.Hour,
		-time.Hour: 0, -24 * time.Hour: 0,
	} {
		got := remaining(10*time.Minute, now.Add(-age))
		if got < least || got > 10*time.Minute || least == 0 && got != 0 {
			t.Errorf("an event %v ago: %v remain of ten minutes, want at least %v", age, got, least)
		}
	}
}
