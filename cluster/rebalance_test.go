package cluster

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// random returns a state that some history has led to.
func random(r *rand.Rand) *State {
	s := &State{}
	name := func(n int) string { return fmt.Sprintf("m%d", n) }
	league := func() string { return fmt.Sprintf("l%02d", r.IntN(20)) }
	for range r.IntN(120) {
		switch r.IntN(8) {
		case 0:
			s.Apply(Event{Joined: &Joined{Member: name(r.IntN(5)), Address: "http://x"}})
		case 1:
			s.Apply(Event{Left: &Left{Member: name(r.IntN(5))}})
		case 2, 3, 4:
			s.Apply(Event{Made: &Made{League: league()}})
		case 5:
			s.Apply(Event{Over: &Over{League: league()}})
		case 6:
			s.Apply(Event{Given: &Given{League: league(), Member: name(r.IntN(5))}})
		case 7:
			s.Apply(Event{Archived: &Archived{League: league()}})
		}
	}
	return s
}

// After a rebalance every league is a member's, nobody has two more to play than another, what is over has stayed, and
// there is nothing left to do. It is the same for whoever works it out.
func TestRebalanceGivesEveryLeagueToAMemberAndLevelsThem(t *testing.T) {
	for seed := range uint64(2000) {
		before := random(rand.New(rand.NewPCG(seed, 1)))
		after := before.clone()
		events := Rebalance(before)
		if again := Rebalance(before.clone()); !reflect.DeepEqual(events, again) {
			t.Fatalf("seed %d: %v and then %v", seed, events, again)
		}
		for _, e := range events {
			after.Apply(e)
		}
		if len(after.members) == 0 {
			if events != nil {
				t.Fatalf("seed %d: there are no members, and %v", seed, events)
			}
			continue
		}
		if more := Rebalance(after); len(more) != 0 {
			t.Fatalf("seed %d: %d events, and %d more after them", seed, len(events), len(more))
		}
		count := map[string]int{}
		for _, l := range after.Leagues() {
			was, _ := before.League(l.ID)
			if after.Address(l.Owner) == "" {
				t.Errorf("seed %d: %s is %q's, who is no member", seed, l.ID, l.Owner)
			}
			if l.Over && was.Owner != "" && was.Owner != l.Owner {
				t.Errorf("seed %d: %s is over and moved from %s to %s", seed, l.ID, was.Owner, l.Owner)
			}
			if !l.Over {
				count[l.Owner]++
			}
		}
		least, most := 1<<30, 0
		for _, name := range after.Members() {
			least, most = min(least, count[name]), max(most, count[name])
		}
		if most > least+1 {
			t.Errorf("seed %d: shares from %d to %d", seed, least, most)
		}
	}
}

// Who is back after a restart is given no more than evens things out.
func TestRebalanceMovesNoMoreThanItHasTo(t *testing.T) {
	s := &State{}
	s.Apply(Event{Joined: &Joined{Member: "a", Address: "http://a"}})
	for n := range 9 {
		s.Apply(Event{Made: &Made{League: fmt.Sprint("l", n)}})
		s.Apply(Event{Given: &Given{League: fmt.Sprint("l", n), Member: "a"}})
	}
	s.Apply(Event{Joined: &Joined{Member: "b", Address: "http://b"}})
	if events := Rebalance(s); len(events) != 4 {
		t.Errorf("9 leagues of one of two members: %d move, want 4", len(events))
	}
}

// An entry comes back as it was written.
func TestEventsComeBack(t *testing.T) {
	all := []Event{
		{Joined: &Joined{"m", "http://m"}}, {Left: &Left{"m", "why"}}, {Made: &Made{"l", []byte("{\n}")}}, {Changed: &Changed{"l", []byte("x")}},
		{Given: &Given{"l", "m"}}, {Over: &Over{"l"}}, {Archived: &Archived{"l", true}},
	}
	text, err := encode(all)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(text)
	if err != nil || !reflect.DeepEqual(got, all) {
		t.Errorf("%s comes back as %v, %v", text, got, err)
	}
}
