package game

// A Failing state is of rules that can fail, such as those of a module from outside
// of this program. When they do, the match is over: nobody is to move, and its
// outcome is a draw whose reason says what was wrong. The same moves lead to the
// same failure, so that who plays the match again sees the same end.
type Failing interface {
	State
	// Failed returns what the rules did wrong, or nil.
	Failed() error
}

// Outside is rules that come from outside of this program, as a file.
type Outside interface {
	Game
	// Digest returns the SHA-256 of the file, in hex.
	Digest() string
	// Code returns the file. The caller may change it.
	Code() []byte
}

// Digest returns the SHA-256, in hex, of rules that come from outside of this
// program, and "" for those that are part of it.
func Digest(g Game) string {
	if from, ok := g.(Outside); ok {
		return from.Digest()
	}
	return ""
}
