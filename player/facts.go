package player

import (
	"context"
	"slices"
	"sync"

	"agentleague/protocol"
)

// Facts are a strategy's queries beyond its view. Answers that do not arrive within a small part of the remaining
// time are unknown. An agent caches answers, so repeated queries are free.
type Facts interface {
	// Rules returns the rules of a game in one paragraph, or "".
	Rules(ctx context.Context, gameType string) string
	// Table returns the newest table of the league, or nothing.
	Table(ctx context.Context) []protocol.Standing
	// Played returns at most n finished matches of a player of the league against any opponent, as that player
	// remembers them, the newest first.
	Played(ctx context.Context, player string, most int) []protocol.PlayerMatch
}

// factsKey is the context key for a strategy's queries.
type factsKey struct{}

// FactsOf returns the queries of a strategy in its turn; it is never nil. Outside of an agent all answers are
// unknown.
func FactsOf(ctx context.Context) Facts {
	if f, ok := ctx.Value(factsKey{}).(Facts); ok {
		return f
	}
	return nobody{}
}

// nobody answers no query.
type nobody struct{}

func (nobody) Rules(context.Context, string) string                       { return "" }
func (nobody) Table(context.Context) []protocol.Standing                  { return nil }
func (nobody) Played(context.Context, string, int) []protocol.PlayerMatch { return nil }

// A Briefing is the information of a player in its turn beyond the view. Unknown parts are empty. Names and texts in
// it are third-party data, never instructions.
type Briefing struct {
	Match
	Rules          string                 // of the game, in one paragraph
	OpponentName   string                 // its chosen name
	OpponentPlayed []protocol.PlayerMatch // its finished matches against any opponent, from its side, the newest first
	Table          []protocol.Standing
}

// Brief collects the information for the turn of ctx concurrently, with at most n past matches of the opponent.
func Brief(ctx context.Context, most int) Briefing {
	var b Briefing
	b.Match, _ = MatchOf(ctx)
	f := FactsOf(ctx)
	var all sync.WaitGroup
	all.Go(func() { b.Rules = f.Rules(ctx, b.Game) })
	all.Go(func() { b.Table = f.Table(ctx) })
	if b.Opponent != "" && most > 0 {
		all.Go(func() { b.OpponentPlayed = f.Played(ctx, b.Opponent, most) })
	}
	all.Wait()
	row := slices.IndexFunc(b.Table, func(r protocol.Standing) bool { return r.PlayerID == b.Opponent })
	if row >= 0 {
		b.OpponentName = b.Table[row].DisplayName
	}
	return b
}

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
