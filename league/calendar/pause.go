package calendar

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on machines without them
)

// A pause is a period in which no round begins.
type pause struct {
	daily    bool
	from, to time.Time // of a daily pause only the hours and minutes count; its end may be on the next day
}

// parsePause reads the text of a pause.
func parsePause(text string, zone *time.Location) (p pause, err error) {
	if first, last, dated := strings.Cut(text, ".."); dated {
		p.from, _, err = parseDate(first, zone)
		to, whole, wrong := parseDate(last, zone)
		if p.to = to; whole {
			p.to = to.AddDate(0, 0, 1)
		}
		if err == nil && wrong == nil && p.from.Before(p.to) {
			return p, nil
		}
	} else if first, last, ok := strings.Cut(text, "-"); ok {
		from, wrong1 := time.ParseInLocation("15:04", first, zone)
		to, wrong2 := time.ParseInLocation("15:04", last, zone)
		if wrong1 == nil && wrong2 == nil && !from.Equal(to) {
			return pause{daily: true, from: from, to: to}, nil
		}
	}
	return pause{}, fmt.Errorf("want HH:MM-HH:MM, or FROM..TO with dates such as 2026-12-24 or 2026-12-24T18:00, got %q", text)
}

// parseDate reads a date, or a date and a time.
func parseDate(text string, zone *time.Location) (at time.Time, whole bool, err error) {
	if at, err = time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, true, nil
	}
	at, err = time.ParseInLocation("2006-01-02T15:04", text, zone)
	return at, false, err
}

// zoneNamed returns a zone by its name or its offset.
func zoneNamed(name string) (*time.Location, error) {
	if at, err := time.Parse("-07:00", name); err == nil {
		_, offset := at.Zone()
		return time.FixedZone(name, offset), nil
	}
	if name == "Local" { // another one on each machine
		return nil, fmt.Errorf("the zone %s is unknown", name)
	}
	return time.LoadLocation(name)
}

// end returns the end of the pause if at is in it, and otherwise at.
func (p pause) end(at time.Time) time.Time {
	if !p.daily {
		return within(p.from, p.to, at)
	}
	day := at.In(p.from.Location())
	for d := -1; d <= 0; d++ {
		from, to := on(day, d, p.from), on(day, d, p.to)
		if !from.Before(to) {
			to = on(day, d+1, p.to)
		}
		at = within(from, to, at)
	}
	return at
}

// within returns the end of a period if at is in it, and otherwise at.
func within(from, to, at time.Time) time.Time {
	if at.Before(from) || !at.Before(to) {
		return at
	}
	return to
}

// on returns a time of day on another day.
func on(day time.Time, days int, clock time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day()+days, clock.Hour(), clock.Minute(), 0, 0, clock.Location())
}

// coverDay reports whether daily pauses leave no minute of the day.
func coverDay(daily []pause) bool {
	for minute := range 24 * 60 {
		in := func(p pause) bool {
			from, to := p.from.Hour()*60+p.from.Minute(), p.to.Hour()*60+p.to.Minute()
			if from < to {
				return from <= minute && minute < to
			}
			return minute >= from || minute < to
		}
		free := true
		for _, p := range daily {
			free = free && !in(p)
		}
		if free {
			return false
		}
	}
	return true
}
