package manager_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/native"
	"agentleague/rpc/rpctest"
)

// The next season is created before it is announced, and announced only to native agents.
func TestTheEndNamesTheNextSeasonToNativeAgentsAlone(t *testing.T) {
	var tries atomic.Int32
	o := manager.Options{
		StartPlayers: 3, StartReferees: 1,
		Next: func(context.Context) (string, error) {
			if tries.Add(1) < 3 {
				return "", errors.Join(manager.ErrNotNow, errors.New("the disk is full"))
			}
			return "autumn_2", nil
		},
	}
	inWorld(t, 5, rpctest.Faults{}, o, func(w *world) {
		var named atomic.Int32
		w.tap = func(request, _ []byte) {
			if strings.Contains(string(request), `"next_league_id":"autumn_2"`) {
				named.Add(1)
			}
		}
		w.masked["P02"] = true
		w.bootAll(1, 3)
		if !w.finish(20 * time.Minute) {
			return
		}
		for id, want := range map[string]string{"P01": "autumn_2", "P02": "", "P03": "autumn_2"} {
			if got := w.players[id].Next(); got != want {
				t.Errorf("%s goes on in %q, want %q", id, got, want)
			}
		}
		if got := w.referees["REF01"].Next(); got != "autumn_2" {
			t.Errorf("the referee goes on in %q, want autumn_2", got)
		}
		if named.Load() != 3 || tries.Load() != 3 {
			t.Errorf("%d messages name the next season after %d tries, want 3 and 3", named.Load(), tries.Load())
		}
		w.bootPlayer(1) // it was killed before it went on
		w.await(10*time.Second, "the player that comes back", func(*league.State) bool {
			return w.players["P01"].Next() == "autumn_2"
		})
	})
}

func TestAFailureToMakeTheNextSeasonKeepsNobodyFromHearingOfTheEnd(t *testing.T) {
	o := manager.Options{
		StartPlayers: 2, StartReferees: 1,
		Next: func(context.Context) (string, error) { return "", errors.New("config/leagues: permission denied") },
	}
	inWorld(t, 6, rpctest.Faults{}, o, func(w *world) {
		w.bootAll(1, 2)
		if !w.finish(20 * time.Minute) {
			return
		}
		if got := w.players["P01"].Next(); got != "" || !w.logged("the next season cannot be created") {
			t.Errorf("the player goes on in %q, want that there is no next season, and a warning", got)
		}
	})
}

func TestSeasonStartsWhenItsRegularsAreBack(t *testing.T) {
	var before league.Regulars
	identities := map[string]native.Identity{}
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 1}, func(w *world) {
		w.bootAll(1, 2)
		if w.finish(20 * time.Minute) {
			before = league.RegularsOf(w.state())
		}
		for name, who := range w.identities {
			identities[name] = native.Identity{Key: who.Key}
		}
	})
	o := manager.Options{StartPlayers: 2, StartReferees: 1, StartAfter: time.Minute, Regulars: before}
	inWorld(t, 8, rpctest.Faults{}, o, func(w *world) {
		w.identities = maps.Clone(identities)
		w.bootAll(1, 2)
		w.await(20*time.Second, "the start with all who are waited for", started)
	})
	inWorld(t, 9, rpctest.Faults{}, o, func(w *world) {
		w.identities = maps.Clone(identities)
		w.bootAll(1, 1)
		w.bootPlayer(3)
		time.Sleep(30 * time.Second)
		if w.state().Started() {
			t.Error("the season started with a newcomer in the place of one that it waits for")
		}
		w.await(35*time.Second, "the end of the window", started)
		if got := w.state().Players(); len(got) != 2 {
			t.Errorf("it started with %q, want those who were there", got)
		}
	})
}

func TestWhoComesTooLateIsToldWhereItCanJoin(t *testing.T) {
	open := []string{"autumn_2", "spring"}
	o := manager.Options{StartPlayers: 2, StartReferees: 1, Schedule: format.Settings{Late: format.Late{Until: 1}}, Vacant: func() []string { return open }}
	inWorld(t, 8, rpctest.Faults{}, o, func(w *world) {
		w.bootAll(1, 2)
		w.await(10*time.Second, "started", started)
		late := w.apply("player:late", "", "c", named("late", "http://localhost:8199/mcp"))
		const want = "registration is closed: the league has started; open for registration here: autumn_2, spring"
		if late.Status != protocol.Rejected || late.Reason == nil || *late.Reason != want ||
			late.Suggestion != "Register with league_id autumn_2" {
			t.Errorf("got %+v, want %q", late, want)
		}
		open = nil
		late = w.apply("player:late", "", "c", named("late", "http://localhost:8199/mcp"))
		if late.Reason == nil || strings.Contains(*late.Reason, "open for") {
			t.Errorf("where nothing is open: got %v", *late.Reason)
		}
	})
}
