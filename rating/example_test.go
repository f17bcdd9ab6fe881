package rating_test

import (
	"fmt"

	"agentleague/rating"
)

// Two players meet in pairs of games with swapped seats: how far is the first ahead, and is that certain?
func ExampleScore() {
	var s rating.Score
	for range 30 {
		s.AddPair(1, 0.5)
	}
	for range 20 {
		s.AddPair(0, 0.5)
	}
	diff, low, high := s.Elo()
	fmt.Printf("%g of %d points: %+.0f (%+.0f to %+.0f), stronger with %.0f %%\n",
		s.Points(), s.Games(), diff, low, high, 100*s.LOS())
	// Output:
	// 55 of 100 points: +35 (-13 to +83), stronger with 92 %
}

// A field of three, of which the first wins everything: its rating is finite all the same.
func ExampleBradleyTerry() {
	for i, r := range rating.BradleyTerry(3, []rating.Meeting{
		{A: 0, B: 1, Games: 2, Points: 2}, {A: 0, B: 2, Games: 2, Points: 2}, {A: 1, B: 2, Games: 2, Points: 1},
	}) {
		fmt.Printf("player %d: %.0f after %d games\n", i+1, r.Rating, r.Games)
	}
	// Output:
	// player 1: 1775 after 4 games
	// player 2: 1363 after 4 games
	// player 3: 1363 after 4 games
}
