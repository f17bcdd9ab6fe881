package format_test

import (
	"fmt"

	"agentleague/format"
)

// The second round of a Swiss league of five players, of which one joined late.
func Example() {
	swiss, _ := format.ByName("swiss")
	settings := format.Settings{Format: "swiss"}.Filled(false)
	field := format.Field{
		Round: 2,
		Players: []format.Player{
			{ID: "P01", Seed: 1, Joined: 1, Points: 3}, {ID: "P02", Seed: 2, Joined: 1, Points: 1},
			{ID: "P03", Seed: 3, Joined: 1, Points: 0}, {ID: "P04", Seed: 4, Joined: 1, Points: 1},
			{ID: "P05", Seed: 5, Joined: 2},
		},
		Results: []format.Played{{Round: 1, A: "P01", B: "P03", Winner: "P01"}, {Round: 1, A: "P04", B: "P02"}},
	}
	round, _ := swiss.Next(settings, field)
	for _, reason := range swiss.Explain(settings, field, round) {
		fmt.Println(reason.A, reason.B, reason.Why, reason.Points)
	}
	rounds, _ := swiss.Horizon(settings, field)
	fmt.Println(swiss.Name(), "has", rounds, "rounds")
	// Output:
	// P02 P01 floated [1 3]
	// P03 P04 floated [0 1]
	// P05  unpaired [0 0]
	// swiss/1 has 3 rounds
}
