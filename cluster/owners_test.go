package cluster

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// random returns a state that some history has led to.
func random(r *rand.Rand) *clusterState {
	s := &clusterState{}
	name := func(n int) string { return fmt.Sprintf("m%d", n) }
	league := func() string { return fmt.Sprintf("l%02d", r.IntN(20)) }
	for range r.IntN(120) {
		switch r.IntN(8) {
		case 0:
			s.Apply(event{Joined: &joinedEvent{Member: name(r.IntN(5)), Address: "http://x"}})
		case 1:
			s.Apply(event{Left: &leftEvent{Member: name(r.IntN(5))}})
		case 2, 3, 4:
			s.Apply(event{Made: &madeEvent{League: league()}})
		case 5:
			s.Apply(event{Over: &overEvent{League: league()}})
		case 6:
			s.Apply(event{Given: &givenEvent{League: league(), Member: name(r.IntN(5))}})
		case 7:
			s.Apply(event{Archived: &archivedEvent{League: league()}})
		}
	}
	return s
}

// owned returns how many leagues each member has to play.
func owned(s *clusterState) map[string]int {
	out := map[string]int{}
	for _, name := range s.Members() {
		out[name] = 0
	}
	for _, l := range s.Leagues() {
		if !l.Over {
			out[l.Owner]++
		}
	}
	return out
}

// After an adoption every league has an owner, no league has changed its owner, and nothing is left to do. All members
// compute the same assignment.
func TestAdoptGivesEveryLeagueToAMemberAndTakesNone(t *testing.T) {
	for seed := range uint64(2000) {
		before := random(rand.New(rand.NewPCG(seed, 1)))
		events := adopt(before)
		if again := adopt(before.clone()); !reflect.DeepEqual(events, again) {
			t.Fatalf("seed %d: %v and then %v", seed, events, again)
		}
		after := before.clone()
		for _, e := range events {
			after.Apply(e)
		}
		if len(after.members) == 0 {
			if events != nil {
				t.Fatalf("seed %d: there are no members, and %v", seed, events)
			}
			continue
		}
		if more := adopt(after); len(more) != 0 {
			t.Fatalf("seed %d: %d events, and %d more after them", seed, len(events), len(more))
		}
		for _, l := range after.Leagues() {
			was, _ := before.League(l.ID)
			if after.Address(l.Owner) == "" || was.Owner != "" && was.Owner != l.Owner {
				t.Errorf("seed %d: %s was %q's and is %q's", seed, l.ID, was.Owner, l.Owner)
			}
		}
	}
}

// Members that hand over their surplus, in any order, reach shares that differ by at most one; no member gets a league
// back, and finished leagues stay.
func TestSurplusLevelsTheSharesAndEnds(t *testing.T) {
	for seed := range uint64(2000) {
		chance := rand.New(rand.NewPCG(seed, 2))
		s := random(chance)
		for _, e := range adopt(s) {
			s.Apply(e)
		}
		moved := map[string]string{} // leagues, by previous owner
		for {
			var movers []string
			for _, name := range s.Members() {
				if _, _, ok := surplus(s, name); ok {
					movers = append(movers, name)
				}
			}
			if len(movers) == 0 {
				break
			}
			from := movers[chance.IntN(len(movers))]
			id, to, _ := surplus(s, from)
			if l, _ := s.League(id); l.Owner != from || l.Over || moved[id] == to {
				t.Fatalf("seed %d: %s hands %+v on to %s", seed, from, l, to)
			}
			moved[id] = from
			s.Apply(event{Given: &givenEvent{League: id, Member: to}})
		}
		least, most := 1<<30, 0
		for _, n := range owned(s) {
			least, most = min(least, n), max(most, n)
		}
		if len(s.members) > 0 && most > least+1 {
			t.Errorf("seed %d: shares from %d to %d", seed, least, most)
		}
	}
}

// An entry comes back as it was written.
func TestEventsComeBack(t *testing.T) {
	all := []event{
		{Joined: &joinedEvent{"m", "http://m", "v1.0.0", 2}}, {Left: &leftEvent{"m", "why"}}, {Made: &madeEvent{"l", []byte("{\n}")}},
		{Given: &givenEvent{"l", "m"}}, {Over: &overEvent{"l"}}, {Archived: &archivedEvent{"l", true}},
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
