package game

// An Open state has no hidden information and no chance, so that any player can look ahead: fork it, play moves, and
// examine the result.
type Open interface {
	State
	// Fork returns an independent copy of the position.
	Fork() Open
}

// A Resumer is a game with [Open] states: the view of every seat is the whole position.
type Resumer interface {
	Game
	// Resume returns the position in a view of one of its seats. A view of another game, or an unreachable position,
	// is an error.
	Resume(v View) (Open, error)
}
