package game

// An Open state hides nothing and draws nothing, so that whoever sees it can look
// ahead: fork it, play moves, and see where they lead.
type Open interface {
	State
	// Fork returns the same position once more. What happens to one does not change the other.
	Fork() Open
}

// A Resumer is a game whose states are [Open]: what any seat sees is the whole position.
type Resumer interface {
	Game
	// Resume returns the position that a view of one of its seats shows. A view of
	// another game, or one that no match leads to, is an error.
	Resume(v View) (Open, error)
}
