package game

// A Failing state has rules that can fail, such as those of a third-party module. A failure ends the match: no seat
// is to move, and the outcome is a draw with the failure as its reason. Failures are deterministic, so that a replay
// of the match has the same end.
type Failing interface {
	State
	// Failed returns the failure of the rules, or nil.
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
