package game

// A Failing state has rules that can fail, such as those of a third-party module. A failure ends the match: no seat
// is to move, and the outcome is a draw with the failure as its reason. Failures are deterministic, so that a replay
// has the same outcome.
type Failing interface {
	State
	// Failed returns the failure of the rules, or nil.
	Failed() error
}

// Outside is a game whose rules are a file, not part of this program.
type Outside interface {
	Game
	// Digest returns the SHA-256 of the file, in hex.
	Digest() string
	// Code returns a copy of the file.
	Code() []byte
}

// Digest returns the SHA-256, in hex, of the file with a game's rules, or "" if
// the rules are part of this program.
func Digest(g Game) string {
	if from, ok := g.(Outside); ok {
		return from.Digest()
	}
	return ""
}
