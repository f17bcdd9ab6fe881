package format

import "fmt"

// Words returns the reason as a sentence without a full stop.
func (r Reason) Words() (words string) {
	switch r.Why {
	case Planned:
		words = "the plan of the round robin"
	case CatchUp:
		words = "they have a match left against each other"
	case ScoreGroup:
		words = "both have " + points(r.Points[0])
	case Floated:
		words = fmt.Sprintf("%d and %s: no better opponent was left", r.Points[0], points(r.Points[1]))
	case Bracket:
		words = fmt.Sprintf("place %d of the bracket", r.Slot)
	case ThirdPlace:
		words = "the losers of the semi-finals"
	case NextLeg:
		words = "the next leg, with swapped seats"
	case ExtraLeg:
		words = "an extra leg: they were level"
	case NearRating:
		words = fmt.Sprintf("near ratings, %d apart", r.Distance)
	case NewPlayer:
		words = "a player with few matches"
	case Unpaired:
		words = "no opponent was left"
	}
	if r.Rematch > 0 {
		words += fmt.Sprintf("; they met in round %d, which could not be avoided", r.Rematch)
	}
	return words
}

// points returns a number of points in words.
func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}
