package seasons

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

func TestSeasonsAreNumbered(t *testing.T) {
	for id, want := range map[string]string{
		"autumn": "autumn_2", "autumn_2": "autumn_3", "league_2025_even_odd": "league_2025_even_odd_2",
		"a_9": "a_10", "a_2025": "a_2025_2",
	} {
		if got := Next(id, nil); got != want {
			t.Errorf("after %s comes %s, want %s", id, got, want)
		}
	}
	taken := func(id string) bool { return id == "autumn_2" || id == "autumn_3" }
	if got := Next("autumn", taken); got != "autumn_4" {
		t.Errorf("got %s, want autumn_4, since two are taken", got)
	}
}

// The all-time table is the sum of the seasons, in whatever order they are added, and is sorted.
func TestSeasonsAddUp(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var seasons []Season
		var want Total
		for n := range 1 + rng.IntN(5) {
			s := anySeason(rng, n+1)
			for _, f := range s.Players {
				want.add(f)
			}
			seasons = append(seasons, s)
		}
		table := totals(seasons)
		checkTotals(t, table, want)
		slices.Reverse(seasons)
		if again := totals(seasons); !slices.EqualFunc(table, again, func(a, b Total) bool {
			return a.Place == b.Place && a.Points == b.Points && a.Seasons == b.Seasons
		}) {
			t.Errorf("seed %d: counted from behind the table is\n%+v\nnot\n%+v", seed, again, table)
		}
	}
}

// anySeason is a finished league of some of ten players, in which each pair met once.
func anySeason(rng *rand.Rand, number int) Season {
	s := Season{Number: number, State: protocol.LeagueIsCompleted}
	for _, n := range rng.Perm(10)[:2+rng.IntN(4)] {
		s.Players = append(s.Players, Finisher{Standing: protocol.Standing{DisplayName: fmt.Sprint("player ", n)}})
	}
	for i := range s.Players {
		for j := range i {
			a, b := &s.Players[i], &s.Players[j]
			a.Played, b.Played = a.Played+1, b.Played+1
			switch rng.IntN(3) {
			case 0:
				a.Draws, b.Draws, a.Points, b.Points = a.Draws+1, b.Draws+1, a.Points+1, b.Points+1
			case 1:
				a, b = b, a
				fallthrough
			default:
				a.Wins, b.Losses, a.Points = a.Wins+1, b.Losses+1, a.Points+3
			}
		}
	}
	s.Players[rng.IntN(len(s.Players))].Champion = true
	return s
}

func checkTotals(t *testing.T, table []Total, want Total) {
	t.Helper()
	var got Total
	for i, row := range table {
		got.Seasons, got.Championships = got.Seasons+row.Seasons, got.Championships+row.Championships
		got.Played, got.Wins, got.Draws = got.Played+row.Played, got.Wins+row.Wins, got.Draws+row.Draws
		got.Losses, got.TechnicalLosses = got.Losses+row.Losses, got.TechnicalLosses+row.TechnicalLosses
		got.Points += row.Points
		if row.Played != row.Wins+row.Draws+row.Losses || row.Rank > i+1 {
			t.Errorf("row %d does not add up: %+v", i+1, row)
		}
		if i == 0 {
			continue
		}
		above := table[i-1]
		same := above.before(&row) == 0
		if above.before(&row) > 0 || same != (above.Rank == row.Rank) || same != (row.Place == "="+fmt.Sprint(above.Rank)) {
			t.Errorf("%+v stands above %+v", above, row)
		}
	}
	got.DisplayName = want.DisplayName
	if got != want {
		t.Errorf("the table adds up to %+v, want %+v", got, want)
	}
}

func TestPlayersAreKnownByTheirKeysOverTheSeasons(t *testing.T) {
	row := func(name, key string, points int) Finisher {
		return Finisher{Standing: protocol.Standing{DisplayName: name, Played: 1, Points: points}, Key: key}
	}
	table := totals([]Season{
		{Players: []Finisher{row("Ada", "k1", 3), row("Bob", "", 1), row("Eve", "k3", 0)}},
		{Players: []Finisher{row("Ada Lovelace", "k1", 3), row("Bob", "", 1), row("Eve", "k4", 0)}},
	})
	var got []string
	for _, r := range table {
		got = append(got, fmt.Sprintf("%s %s %d/%d", r.Place, r.DisplayName, r.Points, r.Seasons))
	}
	want := []string{"1 Ada Lovelace 6/2", "2 Bob 2/2", "=3 Eve 0/1", "=3 Eve 0/1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: a name may change, a key does not", got, want)
	}
}

func TestASeasonThatIsNotOverDoesNotCount(t *testing.T) {
	one := Of(league.NewState(), 2)
	if one.Over() || one.Players != nil || one.State != protocol.WaitingForRegistrations {
		t.Errorf("got %+v, want a season that waits for its players", one)
	}
	all := NewSeries("autumn", 1, []Season{one, one})
	if all.Wanted != 2 || all.Played() != 0 || len(all.Totals) != 0 {
		t.Errorf("got %+v, want two seasons of which none is over", all)
	}
}
