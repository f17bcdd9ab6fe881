package player

import (
	"context"

	"agentleague/protocol"
)

// A Match is a player's information about the match that it chooses for.
type Match struct {
	LeagueID string
	ID       string
	Round    int
	Game     string // such as even_odd
	Opponent string // its id
	Attempt  int
	Standing protocol.Tally // the player's own, if the question has it
	Refused  string         // why the referee did not take the choice before, in the same turn
}

// matchKey is the key under which a context holds which match is played.
type matchKey struct{}

// MatchOf returns the match that a strategy is asked in. Outside of an agent there is none.
func MatchOf(ctx context.Context) (Match, bool) {
	m, ok := ctx.Value(matchKey{}).(*Match)
	if !ok {
		return Match{}, false
	}
	return *m, true
}

// WithMatch returns a context in which a strategy can be asked as an agent asks it: in a match, with facts that
// answer its queries; nil: none.
func WithMatch(ctx context.Context, m Match, f Facts) context.Context {
	ctx = context.WithValue(ctx, matchKey{}, &m)
	if f != nil {
		ctx = context.WithValue(ctx, factsKey{}, f)
	}
	return ctx
}
