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

// games lists every built-in game in display order. A new game is a new row.
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

// All returns the built-in games in display order.
func All() []game.Game { return slices.Clone(games) }

// Lookup returns the built-in game of that type. It returns an error for an unknown type.
func Lookup(gameType string) (game.Game, error) { return Catalog{}.Lookup(gameType) }

// Types returns the types of the built-in games in display order.
func Types() []string { return Catalog{}.Types() }
