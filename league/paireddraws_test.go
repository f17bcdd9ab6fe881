package league

import (
	"bytes"
	"slices"
	"testing"
)

// keysOf plays a league to its end and returns the draw key of each match.
func keysOf(t *testing.T, players int, created Created) (*State, map[string][]byte) {
	s := begun(t, 1, players, created)
	playOn(s, false, nil)
	keys := map[string][]byte{}
	for id, m := range s.state.Matches {
		keys[id] = s.state.DrawKey([]byte("secret"), m, m.DrawName())
	}
	return s.state, keys
}

func TestPairedDrawsRepeatEachDrawOnceWithSeatsSwapped(t *testing.T) {
	for _, players := range []int{2, 4, 5} {
		s, keys := keysOf(t, players, Created{Cycles: 4, PairedDraws: true, SeatMatters: true})
		var seen [][]byte
		for id, m := range s.Matches {
			first, paired := s.counterpart(m)
			if !paired {
				if slices.ContainsFunc(seen, func(k []byte) bool { return bytes.Equal(k, keys[id]) }) {
					t.Errorf("%d players: %s has the key of another pair", players, id)
				}
				seen = append(seen, keys[id])
				continue
			}
			before := s.Matches[first]
			if before.A != m.B || before.B != m.A || !bytes.Equal(keys[id], keys[first]) {
				t.Errorf("%d players: %s %s-%s repeats %s %s-%s", players, id, m.A, m.B, first, before.A, before.B)
			}
		}
		if want := s.TotalMatches() / 2; len(seen) != want {
			t.Errorf("%d players: %d draws for %d matches", players, len(seen), s.TotalMatches())
		}
	}
}

func TestDrawsAreAllDifferentUnlessTheyArePaired(t *testing.T) {
	_, keys := keysOf(t, 4, Created{Cycles: 4})
	seen := map[string]string{}
	for id, key := range keys {
		if other := seen[string(key)]; other != "" {
			t.Errorf("%s and %s have the same key", id, other)
		}
		seen[string(key)] = id
	}
}

// A match that is played again must not have a key that is known.
func TestAnAnnulledMatchHasAKeyOfItsOwn(t *testing.T) {
	s, keys := keysOf(t, 2, Created{Cycles: 2, PairedDraws: true})
	again := *s.Matches["R2M1"]
	again.Annulled = 1
	if key := s.DrawKey([]byte("secret"), &again, again.DrawName()); bytes.Equal(key, keys["R2M1"]) {
		t.Error("the key of R2M1 is used again")
	}
}

func TestPairedDrawsAreRefusedWhereTheyMakeNoSense(t *testing.T) {
	for _, row := range []struct {
		cycles int
		last   bool
		want   bool
	}{{2, false, true}, {4, false, true}, {1, false, false}, {3, false, false}, {2, true, false}} {
		if err := CheckPairedDraws(row.cycles, "game", row.last); (err == nil) != row.want {
			t.Errorf("%+v: %v", row, err)
		}
	}
}
