package calendar

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRoundsBeginAtTheirTimes(t *testing.T) {
	lunch := Rules{EverySec: 1500, Pauses: []string{"12:00-13:00"}}
	for _, c := range []struct {
		name            string
		rules           Rules
		slot, now, want string
	}{
		{"the first round at once", lunch, "", "2026-11-20T09:00:07Z", "2026-11-20T09:00:07Z"},
		{"the first round after a pause", lunch, "", "2026-11-20T12:30:00Z", "2026-11-20T13:00:00Z"},
		{"after the interval", lunch, "2026-11-20T09:00:00Z", "2026-11-20T09:10:00Z", "2026-11-20T09:25:00Z"},
		{"at the begin of a pause", lunch, "2026-11-20T11:35:00Z", "2026-11-20T11:40:00Z", "2026-11-20T13:00:00Z"},
		{"at the end of a pause", lunch, "2026-11-20T12:35:00Z", "2026-11-20T12:36:00Z", "2026-11-20T13:00:00Z"},
		{"a late round at once", lunch, "2026-11-20T09:00:00Z", "2026-11-20T09:40:00Z", "2026-11-20T09:40:00Z"},
		{"a late round after a pause", lunch, "2026-11-20T11:30:00Z", "2026-11-20T12:10:00Z", "2026-11-20T13:00:00Z"},
		{"a night passes midnight", Rules{Pauses: []string{"22:00-08:00"}}, "", "2026-11-20T23:30:00Z", "2026-11-21T08:00:00Z"},
		{"and the morning after it", Rules{Pauses: []string{"22:00-08:00"}}, "", "2026-11-20T07:59:59Z", "2026-11-20T08:00:00Z"},
		{"adjoining pauses", Rules{Pauses: []string{"2026-11-20T08:00..2026-11-20T10:00", "22:00-08:00", "10:00-11:00"}},
			"", "2026-11-19T22:00:00Z", "2026-11-20T11:00:00Z"},
		{"whole days", Rules{Pauses: []string{"2026-12-24..2026-12-26"}}, "", "2026-12-24T00:00:00Z", "2026-12-27T00:00:00Z"},
		{"a zone in summer", Rules{Pauses: []string{"12:00-13:00"}, Zone: "Europe/Berlin"}, "", "2026-07-01T10:30:00Z",
			"2026-07-01T11:00:00Z"},
		{"a zone in winter", Rules{Pauses: []string{"12:00-13:00"}, Zone: "Europe/Berlin"}, "", "2026-12-01T11:30:00Z",
			"2026-12-01T12:00:00Z"},
		{"an offset", Rules{Pauses: []string{"12:00-13:00"}, Zone: "-05:00"}, "", "2026-12-01T17:30:00Z", "2026-12-01T18:00:00Z"},
	} {
		var slot time.Time
		if c.slot != "" {
			slot = at(c.slot)
		}
		if got := c.rules.Opens(slot, at(c.now)); !got.Equal(at(c.want)) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestASmallDelayDoesNotShiftTheRoundsAfterIt(t *testing.T) {
	r := Rules{EverySec: 600}
	first := at("2026-11-20T09:00:00Z")
	second := r.Slot(first, at("2026-11-20T09:10:04Z"))
	if want := at("2026-11-20T09:10:00Z"); !second.Equal(want) {
		t.Errorf("4 s late: the interval counts from %s, want %s", second, want)
	}
	outage := at("2026-11-20T11:00:00Z")
	if got := r.Slot(second, outage); !got.Equal(outage) {
		t.Errorf("100 minutes late: the interval counts from %s, want %s", got, outage)
	}
}

func TestInvalidRulesAreNamed(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		want  string
	}{
		{Rules{EverySec: -1}, "calendar.round_every_sec: want 0 to"},
		{Rules{NoShowSec: 1 << 40}, "calendar.no_show_sec: want 0 to"},
		{Rules{Zone: "Mars"}, `calendar.zone: want a zone such as Europe/Berlin or +01:00, got "Mars"`},
		{Rules{Zone: "Local"}, "calendar.zone"},
		{Rules{Pauses: []string{"noon"}}, `calendar.pauses: want HH:MM-HH:MM`},
		{Rules{Pauses: []string{"12:00-12:00"}}, "calendar.pauses: want HH:MM-HH:MM"},
		{Rules{Pauses: []string{"2026-12-26..2026-12-24"}}, "calendar.pauses: want HH:MM-HH:MM"},
		{Rules{Pauses: []string{"08:00-20:00", "20:00-08:00"}}, "calendar.pauses: no time of the day is left"},
	} {
		if err := c.rules.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.rules, err, c.want)
		}
	}
}

// Whatever the pauses are, a round opens in no pause, not before its time, and the answer at that time is the same.
func TestOpeningIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := []string{"12:00-13:00", "22:00-08:00", "13:00-13:30", "2026-12-24..2026-12-26", "2026-12-26T20:00..2026-12-27T09:00", "08:00-08:05"}
	for range 2000 {
		r := Rules{EverySec: rng.IntN(7200), Zone: []string{"", "Europe/Berlin", "+05:30"}[rng.IntN(3)]}
		for _, p := range all {
			if rng.IntN(2) == 0 {
				r.Pauses = append(r.Pauses, p)
			}
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		now := at("2026-12-22T00:00:00Z").Add(time.Duration(rng.IntN(7*24*3600)) * time.Second)
		slot := now.Add(-time.Duration(rng.IntN(9000)) * time.Second)
		opens := r.Opens(slot, now)
		if opens.Before(now) || opens.Before(slot.Add(r.every())) || !r.Opens(slot, opens).Equal(opens) {
			t.Fatalf("%+v: slot %s, now %s: opens at %s, and then at %s", r, slot, now, opens, r.Opens(slot, opens))
		}
	}
}
