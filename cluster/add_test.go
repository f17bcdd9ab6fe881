package cluster

import (
	"errors"
	"testing"
	"testing/synctest"

	"agentleague/engine/sim"
)

func TestALeagueThatIsAddedFromOutsideIsGivenToAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := sim.New(1)
		from := disk.Open(sim.Options{})
		if err := Add(t.Context(), from, "before", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		m, err := Join(t.Context(), disk.Open(sim.Options{}), Options{Name: "m1", Address: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := Add(t.Context(), from, "after", []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		if err := Add(t.Context(), from, "after", []byte("[]")); !errors.Is(err, ErrExists) {
			t.Errorf("a league that is set up otherwise: got %v, want %v", err, ErrExists)
		}
		if all, err := Leagues(t.Context(), from); err != nil || len(all) != 2 || all[1].ID != "after" {
			t.Errorf("got %+v, %v, want both leagues", all, err)
		}
		synctest.Wait()
		for _, id := range []string{"before", "after"} {
			if _, mine, known := m.Owner(id); !mine || !known {
				t.Errorf("%s: mine is %v, known %v; want both", id, mine, known)
			}
		}
		if err := m.Leave(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
