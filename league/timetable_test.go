package league

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agentleague/league/calendar"
)

// timed is a league of four players with a round every ten minutes, in which round 1 is over.
func timed(t *testing.T) *season {
	s := newSeason(t, Created{Cycles: 1})
	s.write(SetCalendar(s.state, calendar.Rules{EverySec: 600, Pauses: []string{"2000-01-01..2000-01-02"}}, "+01:00")...)
	s.join(1, 4)
	s.write(StartWith(s.state, everybodyReached)...)
	s.write(OpenNext(s.state, s.secret, s.now)...)
	for rng := rand.New(rand.NewPCG(1, 2)); s.state.RoundOpen; {
		s.playOne(rng)
	}
	return s
}

func TestTheNextRoundWaitsForItsTime(t *testing.T) {
	s := timed(t)
	first := s.state.opened[0]
	if events := OpenNext(s.state, s.secret, first.Add(10*time.Minute-time.Second)); events != nil {
		t.Errorf("got %v before the time of round 2", events)
	}
	if events := OpenNext(s.state, s.secret, first.Add(10*time.Minute)); len(events) != 1 {
		t.Errorf("got %v at the time of round 2", events)
	}
	if got := NextRoundAt(s.state, s.now); !got.Equal(first.Add(10 * time.Minute)) {
		t.Errorf("the next round is announced for %s, want 10 minutes after %s", got, first)
	}
	back := s.now.Add(-time.Hour) // on a clock that was set back by an hour as much time is left
	if got, want := NextRoundAt(s.state, back).Sub(back), first.Add(10*time.Minute).Sub(s.now); got != want {
		t.Errorf("%v left on another clock, want %v", got, want)
	}
}

func TestTheAuditRefusesARoundBeforeItsTime(t *testing.T) {
	for wait, want := range map[time.Duration]int{0: 1, 10 * time.Minute: 0} {
		s := timed(t)
		s.now = s.now.Add(wait)
		s.write(RoundOpened{2})
		a, err := s.audited()
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, f := range a.Findings {
			if f.Field == "round 2" && strings.HasSuffix(f.Want, "or later") {
				found++
			}
		}
		if found != want {
			t.Errorf("a round %v after the one before: got %d findings, want %d: %+v", wait, found, want, a.Findings)
		}
	}
}

func TestTheCalendarIsWrittenWhenItChanges(t *testing.T) {
	s := timed(t)
	if s.state.Calendar().Zone != "+01:00" {
		t.Errorf("the zone is %q, want that of the manager", s.state.Calendar().Zone)
	}
	same := s.state.Calendar()
	same.Zone = ""
	if events := SetCalendar(s.state, same, "+02:00"); events != nil {
		t.Errorf("got %v, want nothing: in summer the calendar keeps its zone", events)
	}
	if events := SetCalendar(s.state, calendar.Rules{}, "+01:00"); len(events) != 1 {
		t.Errorf("got %v, want the end of the calendar", events)
	}
	if err := s.state.Apply(s.now, calendarSet{EverySec: -1}); err == nil {
		t.Error("an invalid calendar is accepted")
	}
}
