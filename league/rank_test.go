package league

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"agentleague/protocol"
)

func TestPlayersThatOnlyTheIDTellsApartShareARank(t *testing.T) {
	t.Parallel()
	circle := []Played{win("P01", "P02"), win("P02", "P03"), win("P03", "P01")}
	for _, c := range []struct {
		name        string
		players     int
		matches     []Played
		tiebreakers []string
		want        string
	}{
		{"nobody", 0, nil, Tiebreakers, "[]"},
		{"one alone", 1, nil, Tiebreakers, "[1]"},
		{"three who beat each other", 3, circle, Tiebreakers, "[=1 =1 =1]"},
		{"two shared places, one after the other", 4, []Played{win("P01", "P03"), win("P02", "P04")}, Tiebreakers,
			"[=1 =1 =3 =3]"},
		{"the last alone", 4, append(circle, win("P01", "P04"), win("P02", "P04"), win("P03", "P04")), Tiebreakers,
			"[=1 =1 =1 4]"},
		{"head to head tells two apart", 2, []Played{win("P02", "P01")}, []string{"head_to_head", "player_id"}, "[1 2]"},
		{"no rules at all", 2, []Played{win("P02", "P01")}, []string{}, "[=1 =1]"},
	} {
		got := fmt.Sprint(newTable(squad(c.players), noName, c.matches, protocol.DefaultScoring, c.tiebreakers).Ranks)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// The champions are the players of the first rank, and the rank of a row is never lower than its number.
func TestRanksAgreeWithTheTableAndTheChampions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		players := squad(2 + rng.IntN(6))
		matches := history(rng, players)
		table := newTable(players, noName, matches, protocol.DefaultScoring, Tiebreakers)
		first := table.Leaders()
		for i, r := range table.Ranks {
			if (r.Number == 1) != (i < len(first)) || r.Number > table.Rows[i].Rank || !r.Shared && r.Number != i+1 {
				t.Errorf("seed %d: row %d has rank %v, with %d champions", seed, i+1, r, len(first))
			}
		}
	}
}
