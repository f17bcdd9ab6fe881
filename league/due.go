package league

import (
	"reflect"
	"time"

	"agentleague/league/calendar"
)

// SetCalendar returns the event that sets the calendar of a league, or nothing if it has that calendar. Rules without a
// zone keep the zone that the league has, and else get the given one.
func SetCalendar(s *State, rules calendar.Rules, zone string) []Event {
	if rules.Zone == "" && len(rules.Pauses) > 0 {
		if rules.Zone = s.calendar.Zone; rules.Zone == "" {
			rules.Zone = zone
		}
	}
	if reflect.DeepEqual(rules, s.calendar) {
		return nil
	}
	return []Event{calendarSet(rules)}
}

// roundDue returns the earliest time from now on at which the calendar lets the next round begin.
func roundDue(s *State, now time.Time) time.Time { return s.calendar.Opens(s.slot, now) }

// NextRoundIn returns how long the next round waits for the calendar, and for a rest after the round before.
func NextRoundIn(s *State, now time.Time, rest time.Duration) time.Duration {
	left := roundDue(s, now).Sub(now)
	if s.Round > 0 {
		left = max(left, s.closed[s.closedRounds()-1].Add(rest).Sub(now))
	}
	return left
}

// NoShowLeft returns how long the open round still waits for players that cannot be reached.
func NoShowLeft(s *State, now time.Time) time.Duration {
	if !s.RoundOpen {
		return 0
	}
	return max(s.opened[s.Round-1].Add(s.calendar.NoShow()).Sub(now), 0)
}

// NextRoundAt returns when the next round begins by the calendar, on the clock that now is from. It is zero if the
// calendar does not delay a round, or none follows.
func NextRoundAt(s *State, now time.Time) time.Time {
	last, known := horizon(s)
	if !s.Started() || s.Completed() || s.Paused || known && s.Round >= last {
		return time.Time{}
	}
	ahead := max(s.at.Sub(now), 0) // the clock was set back
	at := roundDue(s, now.Add(ahead))
	if !at.After(now.Add(ahead)) {
		return time.Time{}
	}
	return at.Add(-ahead).UTC()
}
