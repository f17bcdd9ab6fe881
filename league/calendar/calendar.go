// Package calendar computes when the rounds of a league may begin. It is pure: the time is an argument, and the same log
// gives the same times on any machine.
//
//	start ──▶ round 1 ──every──▶ round 2 ──every──▶ ░ pause ░──▶ round 3
package calendar

import (
	"fmt"
	"time"
)

// Rules are the calendar of a league. The zero value has no fixed times: each round follows the one before. Rules are
// immutable.
type Rules struct {
	EverySec  int      `json:"round_every_sec,omitempty"` // seconds between the beginnings of two rounds; 0: no interval
	Pauses    []string `json:"pauses,omitempty"`          // when no round begins, see [Rules.Check]
	Zone      string   `json:"zone,omitempty"`            // of the pauses: Europe/Berlin, or +01:00; "": UTC
	NoShowSec int      `json:"no_show_sec,omitempty"`     // how long a round waits for absent players; 0: it does not wait
}

// maxSec is the maximum of both periods, one year.
const maxSec = 366 * 24 * 3600

// Check returns an error that names an invalid member. A pause is HH:MM-HH:MM on each day, or FROM..TO with dates such as
// 2026-12-24 or times such as 2026-12-24T18:00; a date at the end includes that day.
func (r Rules) Check() error {
	switch {
	case r.EverySec < 0 || r.EverySec > maxSec:
		return fmt.Errorf("calendar.round_every_sec: want 0 to %d, got %d", maxSec, r.EverySec)
	case r.NoShowSec < 0 || r.NoShowSec > maxSec:
		return fmt.Errorf("calendar.no_show_sec: want 0 to %d, got %d", maxSec, r.NoShowSec)
	}
	zone, err := zoneNamed(r.Zone)
	if err != nil {
		return fmt.Errorf("calendar.zone: want a zone such as Europe/Berlin or +01:00, got %q", r.Zone)
	}
	daily := []pause{}
	for _, text := range r.Pauses {
		p, err := parsePause(text, zone)
		if err != nil {
			return fmt.Errorf("calendar.pauses: %w", err)
		}
		if p.daily {
			daily = append(daily, p)
		}
	}
	if coverDay(daily) {
		return fmt.Errorf("calendar.pauses: no time of the day is left for a round")
	}
	return nil
}

// Opens returns the earliest time from now on at which the next round may begin. slot is that of the newest round, or
// zero before the first round. The rules must be valid.
func (r Rules) Opens(slot, now time.Time) time.Time {
	at := now
	if next := slot.Add(r.every()); !slot.IsZero() && next.After(at) {
		at = next
	}
	return r.afterPauses(at)
}

// Slot returns the time from which the interval to the next round counts, for a round that began at opened. It is the
// time at which the round was due, so that delays do not add up, unless the round was late by a whole interval.
func (r Rules) Slot(slot, opened time.Time) time.Time {
	due := r.afterPauses(slot.Add(r.every()))
	if slot.IsZero() || due.After(opened) || opened.Sub(due) >= r.every() {
		return opened
	}
	return due
}

func (r Rules) every() time.Duration { return time.Duration(r.EverySec) * time.Second }

// NoShow returns how long after its beginning a round waits for players that cannot be reached.
func (r Rules) NoShow() time.Duration { return time.Duration(r.NoShowSec) * time.Second }

// afterPauses returns the time itself, or the end of the pauses that it is in.
func (r Rules) afterPauses(at time.Time) time.Time {
	zone, err := zoneNamed(r.Zone)
	if err != nil {
		return at
	}
	for range 2 * (len(r.Pauses) + 1) * (len(r.Pauses) + 1) { // adjoining pauses, of which some may end more than once
		end := at
		for _, text := range r.Pauses {
			if p, err := parsePause(text, zone); err == nil {
				end = p.end(end)
			}
		}
		if end.Equal(at) {
			break
		}
		at = end
	}
	return at.UTC()
}

// Month returns the month of a time in the zone of the calendar, such as 2026-11.
func (r Rules) Month(at time.Time) string {
	zone, err := zoneNamed(r.Zone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format("2006-01")
}
