package rating_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"agentleague/rating"
)

// The cost of a league's ratings when a round is closed.
func BenchmarkBradleyTerry(b *testing.B) {
	for _, size := range []struct{ players, rounds int }{{8, 14}, {100, 99}, {400, 50}, {10_000, 5}, {10_000, 10}} {
		rng := rand.New(rand.NewPCG(1, 1))
		var meetings []rating.Meeting
		for range size.rounds {
			order := rng.Perm(size.players)
			for i := 0; i+1 < len(order); i += 2 {
				meetings = append(meetings, rating.Meeting{A: order[i], B: order[i+1], Games: 1, Points: float64(rng.IntN(3)) / 2})
			}
		}
		b.Run(fmt.Sprintf("%d players %d matches", size.players, len(meetings)), func(b *testing.B) {
			for b.Loop() {
				rating.BradleyTerry(size.players, meetings)
			}
		})
	}
}
