package game

// A Side is one of the two players of a match, as somebody sees it.
type Side struct {
	Seat Seat
	Name string // "you" or "opponent" to a player, "first" or "second" to all others
}

// Sides returns both players of a match of two as seat sees them: itself and its
// opponent, or for who has no seat those in seats 0 and 1.
func Sides(seat Seat) [2]Side {
	if seat != 0 && seat != 1 {
		return [2]Side{{0, "first"}, {1, "second"}}
	}
	return [2]Side{{seat, "you"}, {1 - seat, "opponent"}}
}
