package evenodd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"agentleague/game"
	"agentleague/game/draw"
)

// The two choices, which are also the two parities of a number.
const (
	even = "even"
	odd  = "odd"
)

// highest is the largest number that can be drawn; the smallest is 1.
const highest = 10

// validateChoice parses a move as "even" or "odd", in lower case.
func validateChoice(m game.Move) (string, error) {
	switch string(m) { // the most common spelling
	case `"even"`:
		return even, nil
	case `"odd"`:
		return odd, nil
	}
	var choice string
	if err := json.Unmarshal(m, &choice); err != nil || choice != even && choice != odd {
		return "", errors.New(`use "even" or "odd"`)
	}
	return choice, nil
}

// drawNumber draws from 1 to 10.
func drawNumber(rng *rand.Rand) int { return draw.Number(rng, highest) }

// determineWinner gives a point for each right guess; both right or both wrong is a draw.
func determineWinner(choices [2]string, number int) game.Outcome {
	parity := parityOf(number)
	o := game.Outcome{
		Scores:  make([]int, len(choices)),
		Reason:  reason(choices, number),
		Details: map[string]any{"drawn_number": number, "number_parity": parity},
	}
	for seat, choice := range choices {
		if choice == parity {
			o.Scores[seat] = 1
		}
	}
	return o
}

// reason returns a sentence that explains the result.
func reason(choices [2]string, number int) string {
	parity := parityOf(number)
	if choices[0] == choices[1] {
		return fmt.Sprintf("both chose %s, number was %d (%s)", choices[0], number, parity)
	}
	winner := 0
	if choices[1] == parity {
		winner = 1
	}
	return fmt.Sprintf("{%d} chose %s, number was %d (%s)", winner, parity, number, parity)
}

// parityOf returns whether number is even or odd.
func parityOf(number int) string {
	if number%2 == 0 {
		return even
	}
	return odd
}
