package host

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"agentleague/game/catalog"
	"agentleague/game/evenodd"
	"agentleague/player"
	"agentleague/player/minds/mindtest"
)

// Every strategy plays each game in its row of the table, in either seat, with legal moves to the end.
func TestEveryMindPlaysItsGames(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.All() {
		for _, m := range Bots(g.Info().Type) {
			if m.Name == "minimax" {
				m.Name = "minimax:2" // quick
			}
			t.Run(g.Info().Type+"/"+m.Name, func(t *testing.T) {
				t.Parallel()
				for seat := range 2 {
					two := mindtest.Two(player.Random(rand.New(rand.NewPCG(1, 2))), player.Random(rand.New(rand.NewPCG(3, 4))))
					var err error
					if two[seat], err = BotFor(m.Name, g.Info().Type); err != nil {
						t.Fatal(err)
					}
					mindtest.Play(t, g, uint64(seat), two)
				}
			})
		}
	}
}

// In Even/Odd the draw decides: no strategy is better than another, even if it predicts its opponent. The wins of both
// sides of each pair are equal within five standard deviations.
func TestEvenOddStrategiesAreEqual(t *testing.T) {
	t.Parallel()
	const matches = 400
	names := append(BotNames("even_odd"), "always-even", "always-odd")
	for a := range names {
		for b := range names[:a] {
			first, err := strategyNamed(names[a])
			if err != nil {
				t.Fatal(err)
			}
			second, err := strategyNamed(names[b])
			if err != nil {
				t.Fatal(err)
			}
			var ends mindtest.Points
			for n := range uint64(matches) {
				ends.Count(mindtest.Play(t, evenodd.Game{}, n+uint64(1000*a+100_000*b), mindtest.Two(first, second)), 0)
			}
			decided := float64(ends.Wins + ends.Losses)
			if apart := math.Abs(float64(ends.Wins - ends.Losses)); apart > 5*math.Sqrt(decided) {
				t.Errorf("%s against %s: %+v of %d, want about as many wins as losses", names[a], names[b], ends, matches)
			}
		}
	}
}

// The guide has a row for each mind, named as it is typed.
func TestTheGuideHasEveryMind(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/guide/minds.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Minds() {
		if !strings.Contains(string(text), "\n| `"+m.Spec()+"` | ") {
			t.Errorf("docs/guide/minds.md has no row for %s", m.Spec())
		}
	}
}
