package game

// A Side is one of the two players of a match, from a viewer's perspective.
type Side struct {
	Seat Seat
	Name string // "you" or "opponent" for a player, "first" or "second" for all others
}

// Sides returns both players of a match of two from the perspective of seat: the player and its opponent. For a
// spectator it returns seats 0 and 1.
func Sides(seat Seat) [2]Side {
	if seat != 0 && seat != 1 {
		return [2]Side{{0, "first"}, {1, "second"}}
	}
	return [2]Side{{seat, "you"}, {1 - seat, "opponent"}}
}
