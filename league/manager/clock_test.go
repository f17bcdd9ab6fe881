package manager_test

import (
	"fmt"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// A league is created, and then the clock jumps: the log is older than it is, or from the future. The league starts and
// ends as if it had not.
func TestALeagueIsPlayedWhenTheClockHasJumped(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			o := manager.Options{MinPlayers: 4, MinReferees: 2, StartAfter: 10 * time.Minute}
			inWorld(t, 91, rpctest.Faults{}, o, func(w *world) {
				w.bootManager()
				w.crash("LM")
				w.disk = w.shifted(-jump, 0)
				for _, name := range []string{"REF01", "P02"} {
					w.masked[name] = true
				}
				w.bootAll(2, 4)
				if w.finish(30 * time.Minute) {
					w.checkLaws()
				}
			})
		})
	}
}

// shifted returns a store with the league's log, with all events but the first entries later by that duration.
func (w *world) shifted(by time.Duration, first int) *sim.Store {
	w.t.Helper()
	out := sim.New(91)
	e := out.Open(sim.Options{})
	for n, entry := range w.disk.Entries(leagueID) {
		at, events, err := league.DecodeBatch(entry.Data)
		if err != nil {
			w.t.Fatal(err)
		}
		lines := make([]league.EncodedEvent, len(events))
		if n >= first {
			at = at.Add(by)
		}
		for i, event := range events {
			if lines[i], err = league.EncodeEvent(at, event); err != nil {
				w.t.Fatal(err)
			}
		}
		if _, err := e.Append(w.t.Context(), leagueID, uint64(n), league.EncodeBatch(lines)); err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}
