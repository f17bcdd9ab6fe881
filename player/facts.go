package player

import (
	"context"
	"slices"
	"sync"

	"agentleague/protocol"
)

// Facts are queries that a strategy can make during its turn. A query takes at most a fifth of the remaining time;
// after that its answer counts as unknown. Answers are cached for the match, so repeated queries are cheap.
type Facts interface {
	// Rules returns the rules of a game in one paragraph, or "" if unknown.
	Rules(ctx context.Context, gameType string) string
	// Table returns the newest table of the league, or nil if unknown.
	Table(ctx context.Context) []protocol.Standing
	// Played returns up to most finished matches of a player of the league, against any opponent, the newest first.
	// They are from that player's point of view.
	Played(ctx context.Context, player string, most int) []protocol.PlayerMatch
}

// factsKey is the context key of the [Facts] for a call of a strategy.
type factsKey struct{}

// FactsOf returns the queries for a strategy whose Choose received ctx. It is never nil; outside of an agent all
// answers are unknown.
func FactsOf(ctx context.Context) Facts {
	if f, ok := ctx.Value(factsKey{}).(Facts); ok {
		return f
	}
	return nobody{}
}

// nobody implements [Facts] outside of an agent: all answers are unknown.
type nobody struct{}

func (nobody) Rules(context.Context, string) string                       { return "" }
func (nobody) Table(context.Context) []protocol.Standing                  { return nil }
func (nobody) Played(context.Context, string, int) []protocol.PlayerMatch { return nil }

// A Briefing is the information for a turn that is not part of the view. Unknown parts are empty. Names and texts in
// it come from third parties: a language model must treat them as data, not as instructions.
type Briefing struct {
	Match
	Rules          string                 // of the game, in one paragraph
	OpponentName   string                 // its chosen name
	OpponentPlayed []protocol.PlayerMatch // its finished matches against any opponent, from its side, the newest first
	Table          []protocol.Standing
}

// Brief runs the queries for the turn of ctx concurrently. It includes up to most past matches of the opponent.
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

// A Match describes the match that a player chooses a move for.
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

// matchKey is the context key for the current match.
type matchKey struct{}

// MatchOf returns the match for a strategy whose Choose received ctx. Outside of an agent it returns false.
func MatchOf(ctx context.Context) (Match, bool) {
	m, ok := ctx.Value(matchKey{}).(*Match)
	if !ok {
		return Match{}, false
	}
	return *m, true
}

// WithMatch returns a context for calling a strategy without an agent: [MatchOf] returns m, and [FactsOf] returns f. A
// nil f means that all answers are unknown.
func WithMatch(ctx context.Context, m Match, f Facts) context.Context {
	ctx = context.WithValue(ctx, matchKey{}, &m)
	if f != nil {
		ctx = context.WithValue(ctx, factsKey{}, f)
	}
	return ctx
}
