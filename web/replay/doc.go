// Package replay shows a match move by move: its positions as the players saw them, the list of its moves, and its story
// in a sentence.
//
//	messages of a record ─▶ Positions ─┐
//	moves in the log ─▶ Retraced ──────┼▶ []Position ─▶ Rows, Story, Frames
//	moves without a board ─▶ Sheet ────┘
//
// It is pure: it reads and formats, and has no state.
package replay
