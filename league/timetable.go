package league

import (
	"fmt"
	"time"

	"agentleague/league/calendar"
)

// timetable is the calendar of a league and the slot of its newest round, see [calendar.Rules.Slot].
type timetable struct {
	calendar calendar.Rules
	slot     time.Time
}

// calendarSet sets the calendar of the rounds from the next one on.
type calendarSet calendar.Rules

// Calendar returns the calendar of the league.
func (t *timetable) Calendar() calendar.Rules { return t.calendar }

// set applies a change of the calendar.
func (t *timetable) set(e calendarSet) error {
	if err := calendar.Rules(e).Check(); err != nil {
		return fmt.Errorf("%w: %w", err, ErrNewer)
	}
	t.calendar = calendar.Rules(e)
	return nil
}

// begin notes the beginning of a round.
func (t *timetable) begin(at time.Time) { t.slot = t.calendar.Slot(t.slot, at) }
