package manager_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/rpctest"
)

// followed collects the entries that a follower receives, until the league is over or ctx ends.
func followed(ctx context.Context, m *manager.Manager, after uint64, rest time.Duration) (
	out []league.Happened, err error) {
	for h, err := range m.Follow(ctx, after) {
		if err != nil {
			return out, err
		}
		out = append(out, h)
		if slices.ContainsFunc(h.Events, func(e league.Event) bool {
			return e == league.Event(league.Announced{What: "league"})
		}) {
			return out, nil
		}
		if rest > 0 {
			_ = m.Node.Sleep(ctx, "a slow follower", rest)
		}
	}
	return out, nil
}

// Followers that start at the beginning, in the middle and at the end, and a very slow one, all receive every entry
// after the one that they name: once, in order, exactly as in the log.
func TestFollowersSeeEveryEntryOnce(t *testing.T) {
	t.Run("on a good disk", func(t *testing.T) { followersSeeEveryEntryOnce(t, nil) })
	t.Run("on a disk that fails after it has written", func(t *testing.T) {
		n := 0
		followersSeeEveryEntryOnce(t, func(key string) sim.Fault {
			if !strings.HasPrefix(key, "append ") {
				return sim.None
			}
			n++
			return []sim.Fault{sim.None, sim.None, sim.None, sim.FailAfter, sim.None, sim.None, sim.FailBefore}[n%7]
		})
	})
}

func followersSeeEveryEntryOnce(t *testing.T, fault func(key string) sim.Fault) {
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartPlayers: 6, StartReferees: 2, Cycles: 2}, func(w *world) {
		w.fault = fault
		w.bootAll(2, 6)
		if w.manager == nil {
			t.Fatal("no manager")
		}
		type follower struct {
			after uint64
			saw   []league.Happened
			err   error
			done  chan struct{}
		}
		start := func(after uint64, rest time.Duration) *follower {
			f := &follower{after: after, done: make(chan struct{})}
			go func() {
				defer close(f.done)
				f.saw, f.err = followed(w.ctx, w.manager, after, rest)
			}()
			return f
		}
		all := []*follower{start(0, 0), start(0, 30*time.Second)}
		time.Sleep(300 * time.Millisecond)
		all = append(all, start(0, 0), start(w.manager.Sequence(), 0), start(w.manager.Sequence()/2, 10*time.Millisecond))
		w.finish(20 * time.Minute)
		all = append(all, start(0, 0), start(3, 0))
		want := w.disk.Entries(leagueID)
		for i, f := range all {
			<-f.done
			if f.err != nil {
				t.Errorf("follower %d: %v", i, f.err)
			}
			for n, h := range f.saw {
				at, events, err := league.DecodeBatch(want[f.after+uint64(n)].Data)
				if h.Seq != f.after+uint64(n)+1 || err != nil || !h.At.Equal(at) || !reflect.DeepEqual(h.Events, events) {
					t.Fatalf("follower %d: entry %d after %d is %d with %v, want %v (%v)", i, n, f.after, h.Seq, h.Events, events, err)
				}
			}
			if len(f.saw) < 20 && i != 3 {
				t.Errorf("follower %d saw %d entries", i, len(f.saw))
			}
		}
	})
}

// A follower waits for entries, and ends with its context and with the manager.
func TestAFollowerEndsWithItsContext(t *testing.T) {
	inWorld(t, 8, rpctest.Faults{}, manager.Options{StartPlayers: 2, Window: -1}, func(w *world) {
		w.bootManager()
		ctx, stop := context.WithCancel(w.ctx)
		ended := make(chan int)
		go func() {
			saw, _ := followed(ctx, w.manager, 0, 0)
			ended <- len(saw)
		}()
		time.Sleep(time.Minute)
		stop()
		if n := <-ended; n != 1 {
			t.Errorf("saw %d entries, want the one that opens the league", n)
		}
	})
}
