package manager_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/league/calendar"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// roundsOpened returns the time of each round in the log, after that of the start.
func (w *world) roundsOpened() (out []time.Time) {
	for _, e := range w.disk.Entries(leagueID) {
		at, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range events {
			switch e.(type) {
			case league.Started, league.RoundOpened:
				out = append(out, at)
			}
		}
	}
	return out
}

// timely checks the intervals between the start and the rounds, and that the audit accepts their times.
func (w *world) timely(want ...time.Duration) {
	w.t.Helper()
	opened := w.roundsOpened()
	if len(opened) != len(want)+1 {
		w.t.Fatalf("%d rounds were opened, want %d", len(opened)-1, len(want))
	}
	for i, after := range want {
		if got := opened[i+1].Sub(opened[i]); got < after-time.Second || got > after+time.Second {
			w.t.Errorf("round %d begins %v after the one before, want %v", i+1, got, after)
		}
	}
	w.noFindings("round")
}

// noFindings checks that an audit of the log finds nothing about fields with one of these names in them.
func (w *world) noFindings(fields ...string) {
	w.t.Helper()
	entries := iter.Seq2[engine.Entry, error](func(yield func(engine.Entry, error) bool) {
		for _, e := range w.disk.Entries(leagueID) {
			if !yield(e, nil) {
				return
			}
		}
	})
	a, err := league.NewAudit(entries, func(*protocol.MatchResultReport, string, string) error { return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range a.Findings {
		if slices.ContainsFunc(fields, func(part string) bool { return strings.Contains(f.Field, part) }) {
			w.t.Errorf("the audit refuses %+v", f)
		}
	}
}

// In virtual time it is midnight. Four players play three rounds.
func TestRoundsBeginByTheCalendar(t *testing.T) {
	for name, c := range map[string]struct {
		rules calendar.Rules
		want  []time.Duration
	}{
		"an interval": {calendar.Rules{EverySec: 600}, []time.Duration{0, 10 * time.Minute, 10 * time.Minute}},
		"a pause": {calendar.Rules{EverySec: 600, Pauses: []string{"00:15-01:00"}, Zone: "UTC"},
			[]time.Duration{0, 10 * time.Minute, 50 * time.Minute}},
		"a pause at the start": {calendar.Rules{Pauses: []string{"23:00-00:30"}, Zone: "UTC"}, []time.Duration{30 * time.Minute, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 21, rpctest.Faults{}, manager.Options{StartPlayers: 4, Calendar: c.rules}, func(w *world) {
				w.bootAll(2, 4)
				if w.finish(3 * time.Hour) {
					w.timely(c.want...)
				}
			})
		})
	}
}

// A manager that is killed between two rounds opens the next one at its time. With a clock that was set back by an hour
// it does as well: the time of the league runs on.
func TestRoundsKeepTheirTimesAfterARestart(t *testing.T) {
	for _, jump := range []time.Duration{0, -time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			t.Parallel()
			o := manager.Options{StartPlayers: 4, Calendar: calendar.Rules{EverySec: 600}}
			inWorld(t, 91, rpctest.Faults{}, o, func(w *world) {
				w.bootAll(2, 4)
				w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
				time.Sleep(time.Minute)
				w.crash("LM")
				if jump != 0 {
					w.disk = w.shifted(-jump, 1) // not the first entry, whose hash the agents know
				}
				w.bootManager()
				w.await(time.Minute, "the countdown", func(s *league.State) bool {
					left := time.Until(league.NextRoundAt(s, time.Now()))
					return left > 8*time.Minute && left <= 10*time.Minute
				})
				if !w.finish(3 * time.Hour) {
					return
				}
				w.timely(0, 10*time.Minute, 10*time.Minute)
			})
		})
	}
}

// A round waits for a player that cannot be reached: it plays when it is back in time, and forfeits otherwise.
func TestARoundWaitsForAbsentPlayers(t *testing.T) {
	for _, back := range []bool{true, false} {
		t.Run(fmt.Sprint("back in time: ", back), func(t *testing.T) {
			t.Parallel()
			o := manager.Options{StartPlayers: 4, Calendar: calendar.Rules{EverySec: 600, NoShowSec: 240}}
			inWorld(t, 23, rpctest.Faults{}, o, func(w *world) {
				w.bootAll(2, 4)
				w.await(time.Minute, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
				w.crash("P02")
				w.await(11*time.Minute, "round 2", func(s *league.State) bool { return s.Round == 2 })
				time.Sleep(2 * time.Minute)
				if s := w.state(); s.Recorded != 3 {
					t.Errorf("%d results, want that the match of P02 waits alone", s.Recorded)
				}
				if back {
					w.bootPlayer(2)
				}
				w.await(4*time.Minute, "round 2 is over", func(s *league.State) bool { return !s.RoundOpen })
				if forfeits := w.state().Summary(2).TechnicalLosses; (forfeits == 0) != back {
					t.Errorf("%d forfeits in round 2", forfeits)
				}
				if took := w.state().At().Sub(w.roundsOpened()[2]); (took < 150*time.Second) != back {
					t.Errorf("round 2 took %v", took)
				}
			})
		})
	}
}
