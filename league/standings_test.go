package league

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentleague/protocol"
)

func noName(string) string { return "" }

// The ways in which a match of a and b can end.
func win(a, b string) Played  { return Played{a, b, Result{Status: protocol.Win, Winner: a}} }
func draw(a, b string) Played { return Played{a, b, Result{Status: protocol.Draw}} }
func forfeit(loser, winner string) Played {
	return Played{
		loser, winner, Result{Status: protocol.TechnicalLoss, Winner: winner, Forfeits: map[string]string{loser: "E001"}},
	}
}
func bothForfeit(a, b string) Played {
	return Played{a, b, Result{Status: protocol.TechnicalLoss, Forfeits: map[string]string{a: "E001", b: "E009"}}}
}

// history plays each pair up to twice, with any ending.
func history(rng *rand.Rand, players []string) (out []Played) {
	for i, a := range players {
		for _, b := range players[i+1:] {
			for range rng.IntN(3) {
				x, y := a, b
				if rng.IntN(2) == 0 {
					x, y = b, a
				}
				end := []func(string, string) Played{win, win, draw, forfeit, bothForfeit}[rng.IntN(5)]
				out = append(out, end(x, y))
			}
		}
	}
	return out
}

// slowRanking is a ranking by the words of the rules, as slow as they are: each
// number is counted anew from all matches whenever it is asked for.
func slowRanking(players []string, matches []Played, sc protocol.Scoring) []string {
	sum := func(f func(m Played) int) (n int) {
		for _, m := range matches {
			n += f(m)
		}
		return n
	}
	worth := func(m Played, id string) int {
		switch _, lost := m.Result.Forfeits[id]; {
		case m.A != id && m.B != id:
			return 0
		case lost:
			return sc.TechnicalLoss
		case m.Result.Winner == id:
			return sc.Win
		case m.Result.Winner == "":
			return sc.Draw
		}
		return sc.Loss
	}
	points := func(id string) int { return sum(func(m Played) int { return worth(m, id) }) }
	wins := func(id string) int {
		return sum(func(m Played) int { return strings.Count(m.Result.Winner+",", id+",") })
	}
	draws := func(id string) int {
		return sum(func(m Played) int {
			if m.Result.Status == protocol.Draw && (m.A == id || m.B == id) {
				return 1
			}
			return 0
		})
	}
	equal := func(a, b string) bool {
		return points(a) == points(b) && wins(a) == wins(b) && draws(a) == draws(b)
	}
	among := func(id string) int {
		return sum(func(m Played) int {
			if equal(m.A, id) && equal(m.B, id) {
				return worth(m, id)
			}
			return 0
		})
	}
	better := func(a, b string) bool {
		for _, f := range []func(string) int{points, wins, draws, among} {
			if f(a) != f(b) {
				return f(a) > f(b)
			}
		}
		x, _ := strconv.Atoi(a[1:])
		y, _ := strconv.Atoi(b[1:])
		return x < y
	}
	out := slices.Clone(players)
	for i := range out {
		for j := i; j > 0 && better(out[j], out[j-1]); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func ids(table []protocol.Standing) (out []string) {
	for _, row := range table {
		out = append(out, row.PlayerID)
	}
	return out
}

func TestRankingIsTheOneOfTheRules(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		players := squad(2 + rng.IntN(7))
		matches := history(rng, players)
		scoring := protocol.DefaultScoring
		if seed%3 == 0 {
			scoring = protocol.Scoring{Win: rng.IntN(4), Draw: rng.IntN(3), Loss: rng.IntN(2), TechnicalLoss: -rng.IntN(2)}
		}
		got := ids(Standings(players, noName, matches, scoring, Tiebreakers))
		if want := slowRanking(players, matches, scoring); !slices.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func TestTableAddsUp(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		players := squad(2 + rng.IntN(9))
		matches := history(rng, players)
		var sum, want protocol.Standing
		for i, row := range Standings(players, noName, matches, protocol.DefaultScoring, Tiebreakers) {
			if row.Played != row.Wins+row.Draws+row.Losses || row.Points != 3*row.Wins+row.Draws ||
				row.TechnicalLosses > row.Losses {
				t.Errorf("seed %d: row does not add up: %+v", seed, row)
			}
			if row.Rank != i+1 {
				t.Errorf("seed %d: row %d has rank %d", seed, i, row.Rank)
			}
			sum.Played, sum.Wins, sum.Draws, sum.Losses = sum.Played+row.Played, sum.Wins+row.Wins, sum.Draws+row.Draws,
				sum.Losses+row.Losses
			sum.TechnicalLosses, sum.Points = sum.TechnicalLosses+row.TechnicalLosses, sum.Points+row.Points
		}
		for _, m := range matches {
			want.Played, want.TechnicalLosses = want.Played+2, want.TechnicalLosses+len(m.Result.Forfeits)
			switch {
			case m.Result.Winner != "":
				want.Wins, want.Losses, want.Points = want.Wins+1, want.Losses+1, want.Points+3
			case m.Result.Status == protocol.Draw:
				want.Draws, want.Points = want.Draws+2, want.Points+2
			default:
				want.Losses += 2
			}
		}
		if sum != want {
			t.Errorf("seed %d: got the sums %+v, want %+v", seed, sum, want)
		}
	}
}

func TestOrderOfInputDoesNotMatter(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		players := squad(2 + rng.IntN(7))
		matches := history(rng, players)
		want := Standings(players, noName, matches, protocol.DefaultScoring, Tiebreakers)
		rng.Shuffle(len(matches), func(i, j int) { matches[i], matches[j] = matches[j], matches[i] })
		rng.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
		if got := Standings(players, noName, matches, protocol.DefaultScoring, Tiebreakers); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: got\n%v\nwant\n%v", seed, got, want)
		}
	}
}

func TestForfeitIsALossAndTheOthersWin(t *testing.T) {
	name := func(id string) string { return "Agent " + id }
	got := Standings(squad(2), name, []Played{forfeit("P01", "P02"), bothForfeit("P01", "P02")},
		protocol.DefaultScoring, Tiebreakers)
	want := []protocol.Standing{
		{Rank: 1, PlayerID: "P02", DisplayName: "Agent P02", Played: 2, Wins: 1, Losses: 1, TechnicalLosses: 1, Points: 3},
		{Rank: 2, PlayerID: "P01", DisplayName: "Agent P01", Played: 2, Losses: 2, TechnicalLosses: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestEachRuleBreaksTheTieBeforeTheNext(t *testing.T) {
	for _, c := range []struct {
		name        string
		matches     []Played
		players     int
		tiebreakers []string
		want        string
	}{
		{"nothing played: by number", nil, 3, Tiebreakers, "P01 P02 P03"},
		{"points", []Played{win("P03", "P01"), draw("P02", "P03")}, 3, Tiebreakers, "P03 P02 P01"},
		{"wins before draws", []Played{win("P02", "P03"), draw("P01", "P03"), draw("P01", "P03"), draw("P01", "P04")}, 4,
			Tiebreakers, "P02 P01 P03 P04"},
		{"head to head before the id", []Played{win("P02", "P01"), win("P01", "P03")}, 3, Tiebreakers, "P02 P01 P03"},
		{"head to head counts only the tied", []Played{win("P01", "P04"), win("P02", "P01"), win("P04", "P03")}, 4,
			[]string{"wins", "head_to_head", "player_id"}, "P01 P02 P04 P03"},
		{"other rules: draws first", []Played{win("P01", "P02"), draw("P03", "P02")}, 3,
			[]string{"draw_difference", "points", "player_id"}, "P02 P03 P01"},
		{"rules after the id decide nothing", []Played{win("P02", "P01")}, 2, []string{"player_id", "points"}, "P01 P02"},
		{"no rules: as they came", []Played{win("P02", "P01")}, 2, nil, "P01 P02"},
	} {
		got := strings.Join(ids(Standings(squad(c.players), noName, c.matches, protocol.DefaultScoring, c.tiebreakers)), " ")
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestIDsAreOrderedByNumber(t *testing.T) {
	got := ids(Standings([]string{"P100", "P99", "P1000", "P02"}, noName, nil, protocol.DefaultScoring, Tiebreakers))
	if want := []string{"P02", "P99", "P100", "P1000"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMatchesOfStrangersCountOnlyForThePlayers(t *testing.T) {
	got := Standings([]string{"P01"}, noName, []Played{win("P01", "P09"), win("P08", "P09")},
		protocol.DefaultScoring, Tiebreakers)
	if want := (protocol.Standing{Rank: 1, PlayerID: "P01", Played: 1, Wins: 1, Points: 3}); len(got) != 1 ||
		got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestChampionsAreEqualInAllButTheID(t *testing.T) {
	circle := []Played{win("P01", "P02"), win("P02", "P03"), win("P03", "P01")}
	for _, c := range []struct {
		name        string
		players     int
		matches     []Played
		tiebreakers []string
		champions   []string
	}{
		{"nobody plays", 0, nil, Tiebreakers, nil},
		{"one at the top", 3, []Played{win("P02", "P01")}, Tiebreakers, []string{"P02"}},
		{"three who beat each other", 3, circle, Tiebreakers, []string{"P01", "P02", "P03"}},
		{"head to head tells two apart", 4, []Played{
			win("P02", "P01"), win("P01", "P03"), win("P03", "P04"), draw("P02", "P04"), draw("P01", "P04"),
		}, Tiebreakers, []string{"P02"}},
		{"what comes after the id does not count", 2, []Played{win("P02", "P01")}, []string{"player_id", "points"},
			[]string{"P01", "P02"}},
	} {
		players := squad(c.players)
		first := newTable(players, noName, c.matches, protocol.DefaultScoring, c.tiebreakers).Leaders()
		if got := ids(first); !slices.Equal(got, c.champions) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.champions)
		}
	}
}

func BenchmarkStandings(b *testing.B) {
	players := squad(1_000)
	s := Ring{Players: players}
	var matches []Played
	for round := 1; round <= 20; round++ {
		for i, p := range s.Round(round) {
			matches = append(matches, []Played{win(p.A, p.B), draw(p.A, p.B), win(p.B, p.A)}[i%3])
		}
	}
	b.Run(fmt.Sprint(len(matches), " results"), func(b *testing.B) {
		for b.Loop() {
			Standings(players, noName, matches, protocol.DefaultScoring, Tiebreakers)
		}
	})
}
