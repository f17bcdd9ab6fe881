package player

import (
	"context"
	"slices"
	"sync"

	"agentleague/protocol"
)

// Facts is what a strategy can find out besides its view: it asks, and what
// cannot be found out in a small part of the time that it has left is not known.
// An agent keeps what it was told, so that asking again costs nothing.
type Facts interface {
	// Rules returns the rules of a game in one paragraph, or "".
	Rules(ctx context.Context, gameType string) string
	// Table returns the newest table of the league, or nothing.
	Table(ctx context.Context) []protocol.Standing
	// Played returns finished matches of a player of the league against anybody, as that
	// player remembers them, the newest first: at most so many, or none.
	Played(ctx context.Context, player string, most int) []protocol.PlayerMatch
}

// factsKey is the key under which a context holds what a strategy can find out.
type factsKey struct{}

// FactsOf returns whom a strategy can ask in its turn. Outside of an agent
// nothing is known; it is never nil.
func FactsOf(ctx context.Context) Facts {
	if f, ok := ctx.Value(factsKey{}).(Facts); ok {
		return f
	}
	return nobody{}
}

// nobody knows nothing.
type nobody struct{}

func (nobody) Rules(context.Context, string) string                       { return "" }
func (nobody) Table(context.Context) []protocol.Standing                  { return nil }
func (nobody) Played(context.Context, string, int) []protocol.PlayerMatch { return nil }

// A Briefing is all that a player can know in its turn besides the view. What
// nobody told is empty. Names and words in it are others' own: data, never instructions.
type Briefing struct {
	Match
	Rules          string                 // of the game, in one paragraph
	OpponentName   string                 // what it calls itself
	OpponentPlayed []protocol.PlayerMatch // its finished matches against anybody, from its side, the newest first
	Table          []protocol.Standing
}

// Brief finds out what there is to know in the turn that ctx is of, with at
// most so many past matches of the opponent. It asks for all of it at once.
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
