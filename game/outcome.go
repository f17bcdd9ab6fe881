package game

import (
	"fmt"
	"slices"
	"strings"
)

// An Outcome is the end of a match.
type Outcome struct {
	Scores  []int          // one for each seat: higher is better, equal is a draw
	Reason  string         // a sentence in which "{0}" stands for the player in seat 0, and so on
	Details map[string]any // what only the end reveals, in the game's own words
}

// Winner returns the seat with the highest score, and false when several share it.
func (o Outcome) Winner() (Seat, bool) {
	if len(o.Scores) == 0 {
		return 0, false
	}
	best := slices.Max(o.Scores)
	first := slices.Index(o.Scores, best)
	if slices.Contains(o.Scores[first+1:], best) {
		return 0, false
	}
	return Seat(first), true
}

// Sentence returns Reason with names in the places of their seats.
// A name is taken as it is, even one that looks like a place.
func (o Outcome) Sentence(names []string) string {
	var pairs []string
	for seat, name := range names {
		pairs = append(pairs, fmt.Sprintf("{%d}", seat), name)
	}
	return strings.NewReplacer(pairs...).Replace(o.Reason)
}
