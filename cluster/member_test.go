package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/cluster"
	"agentleague/cluster/shelf"
	"agentleague/engine/sim"
)

// A process is a member that can be killed or cut off.
type process struct {
	*cluster.Member
	kill context.CancelFunc
	cut  atomic.Bool
}

var errCut = errors.New("no route to the engine")

// start has a process join.
func start(t *testing.T, store *sim.Store, name string) *process {
	t.Helper()
	p := &process{}
	ctx, kill := context.WithCancel(t.Context())
	p.kill = kill
	e := store.Open(sim.Options{Await: func(context.Context, string) error {
		if p.cut.Load() {
			return errCut
		}
		return nil
	}})
	var err error
	if p.Member, err = cluster.Join(ctx, e, cluster.Options{Name: name, Address: "http://" + name}); err != nil {
		t.Fatal(err)
	}
	return p
}

// shares counts the leagues of each address, as a member sees them.
func (p *process) shares() map[string]int {
	out := map[string]int{}
	for _, l := range p.Leagues() {
		out[p.Address(l.Owner)]++
	}
	return out
}

// agree fails unless all see these shares.
func agree(t *testing.T, want map[string]int, all ...*process) {
	t.Helper()
	for _, p := range all {
		if got := p.shares(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s sees the shares %v, want %v", p.Name(), got, want)
		}
	}
}

// level makes all members hand over their surplus, concurrently and repeatedly, until none has any. Each first receives
// the others' state.
func level(t *testing.T, all ...*process) {
	t.Helper()
	for moved := true; moved; {
		synctest.Wait()
		moved = false
		var givers sync.WaitGroup
		for _, p := range all {
			id, to, more := p.Surplus()
			if !more {
				continue
			}
			moved = true
			givers.Go(func() {
				if err := p.Give(t.Context(), id, to); err != nil {
					t.Error(err)
				}
			})
		}
		givers.Wait()
	}
}

func makeLeagues(t *testing.T, n int, by ...*process) {
	t.Helper()
	for i := range n {
		if err := by[i%len(by)].Make(t.Context(), fmt.Sprintf("league_%02d", i), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheLeaguesOfADeadManagerHaveAnotherWithinFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sim.New(1)
		a, b, c := start(t, store, "a"), start(t, store, "b"), start(t, store, "c")
		makeLeagues(t, 12, a, b, c)
		synctest.Wait()
		agree(t, map[string]int{"http://a": 4, "http://b": 4, "http://c": 4}, a, b, c)
		c.kill()
		time.Sleep(5 * time.Second)
		agree(t, map[string]int{"http://a": 6, "http://b": 6}, a, b)
		again := start(t, store, "c2")
		agree(t, map[string]int{"http://a": 6, "http://b": 6}, a, b, again) // no league is taken from its owner
		level(t, a, b, again)
		agree(t, map[string]int{"http://a": 4, "http://b": 4, "http://c2": 4}, a, b, again)
		for _, p := range []*process{a, b, again} {
			p.kill()
		}
	})
}

func TestWhoLeavesHandsItsLeaguesOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sim.New(1)
		a, b := start(t, store, "a"), start(t, store, "b")
		makeLeagues(t, 5, a, b)
		if err := b.Give(t.Context(), "league_00", "a"); err != nil || b.shares()["http://a"] != 3 {
			t.Errorf("who has no more than others hands one on: %v, %v", err, b.shares())
		}
		if err := a.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		agree(t, map[string]int{"http://b": 5}, b)
		b.kill()
	})
}

// A manager without a connection reports it, loses its leagues to others, and takes part again after its return.
func TestWhoIsCutOffIsTakenOverFromAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sim.New(1)
		a, b := start(t, store, "a"), start(t, store, "b")
		makeLeagues(t, 4, a, b)
		if err := b.Healthy(); err != nil {
			t.Error(err)
		}
		b.cut.Store(true)
		time.Sleep(5 * time.Second)
		agree(t, map[string]int{"http://a": 4}, a)
		if err := b.Healthy(); !errors.Is(err, errCut) {
			t.Errorf("who is cut off says %v", err)
		}
		b.cut.Store(false)
		time.Sleep(3 * time.Second)
		agree(t, map[string]int{"http://a": 4}, a, b)
		level(t, a, b)
		agree(t, map[string]int{"http://a": 2, "http://b": 2}, a, b)
		if err := b.Healthy(); err != nil {
			t.Error(err)
		}
		a.kill()
		b.kill()
	})
}

// Concurrent creations of the same league create it once; another league of that name is an error.
func TestALeagueIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sim.New(1)
		all := []*process{start(t, store, "a"), start(t, store, "b"), start(t, store, "c")}
		var makers sync.WaitGroup
		for _, p := range all {
			makers.Go(func() {
				for i := range 10 {
					if err := p.Make(t.Context(), fmt.Sprintf("league_%02d", i), []byte("{}")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		makers.Wait()
		synctest.Wait()
		for _, p := range all {
			if n := len(p.Leagues()); n != 10 {
				t.Errorf("%s knows %d leagues, want 10", p.Name(), n)
			}
		}
		if err := all[0].Make(t.Context(), "league_00", []byte(`{"cycles":2}`)); !errors.Is(err, cluster.ErrExists) {
			t.Errorf("another league of the same name: %v", err)
		}
		for _, id := range []string{"cluster", shelf.Name("spring")} {
			if err := all[0].Make(t.Context(), id, []byte("{}")); !errors.Is(err, cluster.ErrReserved) {
				t.Errorf("a league called %s: %v", id, err)
			}
		}
		if err := all[0].Archive(t.Context(), "nosuch", true); !errors.Is(err, cluster.ErrUnknown) {
			t.Errorf("a league that nobody made is archived: %v", err)
		}
		for _, p := range all {
			p.kill()
		}
	})
}

// An entry of one member reaches all members, also those that join later.
func TestWhatIsSaidOfALeagueIsKnownToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sim.New(1)
		a, b := start(t, store, "a"), start(t, store, "b")
		makeLeagues(t, 1, a)
		for _, err := range []error{
			b.Over(t.Context(), "league_00"), a.Archive(t.Context(), "league_00", true),
			b.Over(t.Context(), "league_00"), a.Archive(t.Context(), "league_00", true),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		late := start(t, store, "late")
		owner, _ := a.League("league_00")
		for _, p := range []*process{a, b, late} {
			want := cluster.League{ID: "league_00", Settings: []byte("{}"), Owner: owner.Owner, Over: true, Archived: true}
			if got, ok := p.League("league_00"); !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s knows %+v, want %+v", p.Name(), got, want)
			}
			p.kill()
		}
	})
}
