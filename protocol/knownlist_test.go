package protocol

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// rowElem is the slot of a table's rows, with nothing known.
func rowElem() *slot {
	elem := plans[TypeLeagueStandingsUpdate].byName["standings"].elem
	elem.known.Store(nil)
	elem.before.Store(0)
	return elem
}

func TestATableIsKnownFromItsSecondReader(t *testing.T) {
	elem := rowElem()
	raw := standings(t, 21)
	for n, want := range []bool{false, true, true} {
		readRows(t, raw)
		if got := elem.known.Load() != nil; got != want {
			t.Errorf("after %d tables one is known: %v, want %v", n+1, got, want)
		}
	}
	known := elem.known.Load()
	readRows(t, bytes.Replace(raw, []byte("player 20"), []byte("the reader's own"), 1))
	if elem.known.Load() != known {
		t.Error("a table with another last row was not familiar")
	}
	readRows(t, standings(t, 3))
	for n := range 20 {
		readRows(t, bytes.Replace(raw, []byte("P01"), fmt.Appendf(nil, "P%d", 100+n), 1))
	}
	if elem.known.Load() != known {
		t.Error("tables that are read once are known")
	}
}

func TestWhatAReaderDoesWithATableIsItsOwn(t *testing.T) {
	rowElem()
	raw := standings(t, 21)
	want := slices.Clone(readRows(t, raw))
	for range 4 {
		got := readRows(t, raw)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		clear(got)
		_ = append(got[:3], Standing{Rank: 7})
	}
}

// A list with a cached prefix is decoded as by the general path.
func TestAKnownListIsReadAsAnyOther(t *testing.T) {
	rowElem()
	rng := rand.New(rand.NewPCG(7, 19))
	base := string(standings(t, 21))
	for n := range 400 {
		if n%50 == 0 { // another is known
			base = strings.ReplaceAll(string(standings(t, 9+rng.IntN(20))), "player", fmt.Sprint("p", n))
			quickAgrees(t, []byte(base), Reading{Type: TypeLeagueStandingsUpdate, Now: arrival})
			quickAgrees(t, []byte(base), Reading{Type: TypeLeagueStandingsUpdate, Now: arrival})
		}
		text := []byte(base)
		at := rng.IntN(len(text))
		switch rng.IntN(4) {
		case 0:
			text = slices.Insert(text, at, ' ')
		case 1:
			text[at] = "0123456789{}[],:\" \\x"[rng.IntN(20)]
		case 2:
			text = slices.Delete(text, at, min(at+1+rng.IntN(200), len(text)))
		case 3:
			text = text[:at]
		}
		quickAgrees(t, text, Reading{Type: TypeLeagueStandingsUpdate, Now: arrival})
	}
}
