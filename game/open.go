package game

// An Open state has no hidden information and no chance, so that players can search it: fork it, play moves, and
// examine the result.
type Open interface {
	State
	// Fork returns an independent copy of the position.
	Fork() Open
}

// A Resumer is a game with [Open] states: every view contains the whole position.
type Resumer interface {
	Game
	// Resume returns the position in a view. It returns an error for a view of another game or an unreachable position.
	Resume(v View) (Open, error)
}
