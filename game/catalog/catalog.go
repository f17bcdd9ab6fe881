// Package catalog lists the games that a league can play.
//
//	"even_odd"    ─▶ evenodd.Game
//	"tic_tac_toe" ─▶ tictactoe.Game     (and so on: a line for each)
//	anything else ─▶ an error that lists the games
package catalog

import (
	"slices"

	"agentleague/game"
	"agentleague/game/connectfour"
	"agentleague/game/evenodd"
	"agentleague/game/kuhnpoker"
	"agentleague/game/memory"
	"agentleague/game/prisonersdilemma"
	"agentleague/game/rockpaperscissors"
	"agentleague/game/tictactoe"
	"agentleague/game/twentyonequestions"
)

// games is every game, in the order in which people see them. A new game is a new row.
var games = []game.Game{
	evenodd.Game{},
	tictactoe.Game{},
	connectfour.Game{},
	rockpaperscissors.Game{},
	prisonersdilemma.Game{},
	kuhnpoker.Game{},
	memory.Game{},
	twentyonequestions.Game{},
}

// byType indexes games by their types.
var byType = func() map[string]game.Game {
	out := map[string]game.Game{}
	for _, g := range games {
		out[g.Info().Type] = g
	}
	return out
}()

// All returns every game of this program, always in the same order.
func All() []game.Game { return slices.Clone(games) }

// Lookup returns the game of that type. An unknown type is an error and never some
// other game.
func Lookup(gameType string) (game.Game, error) { return Catalog{}.Lookup(gameType) }

// Types returns the type of every game of this program, in order.
func Types() []string { return Catalog{}.Types() }
