package game

import (
	"slices"
	"strconv"
	"strings"
)

// An Outcome is the end of a match.
type Outcome struct {
	Scores  []int          // one for each seat: higher is better, equal is a draw
	Reason  string         // a sentence in which "{0}" stands for the player in seat 0, and so on
	Details map[string]any // information that is public only at the end, in the game's own terms
}

// Winner returns the seat with the highest score, and false if several seats share that score.
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

// Sentence returns Reason with names in place of seats. names are inserted literally, even if they look like
// placeholders.
func (o Outcome) Sentence(names []string) string {
	var b strings.Builder
	rest := o.Reason
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if place, behind, ok := strings.Cut(after, "}"); ok && seatIn(place, len(names)) >= 0 {
			b.WriteString(names[seatIn(place, len(names))])
			rest = behind
			continue
		}
		b.WriteByte('{')
		rest = after
	}
}

// seatIn parses a placeholder in a sentence. It returns -1 unless it names one of n seats.
func seatIn(place string, seats int) int {
	if n, err := strconv.Atoi(place); err == nil && n >= 0 && n < seats && strconv.Itoa(n) == place {
		return n
	}
	return -1
}
