package gametest

import (
	"slices"
	"strings"

	"agentleague/game"
)

// nonsense lists moves that are illegal in every game: other kinds of JSON, huge values, and invalid JSON.
var nonsense = []game.Move{
	nil,
	game.Move(``),
	game.Move(` `),
	game.Move(`null`),
	game.Move(`""`),
	game.Move(`{}`),
	game.Move(`[]`),
	game.Move(`[null]`),
	game.Move(`{"choice":null}`),
	game.Move(`-1`),
	game.Move(`-0.5`),
	game.Move(`1e400`),
	game.Move(`99999999999999999999`),
	game.Move(`"no such move"`),
	game.Move(`"\ud800"`),
	game.Move(`"` + strings.Repeat("x", 1<<14) + `"`),
	game.Move(strings.Repeat(`[`, 1<<12)),
	game.Move(`"unclosed`),
	game.Move(`{"a":`),
	game.Move(`nul`),
	game.Move("\x00"),
	game.Move("\xff\xfe"),
}

// garbage returns nonsense and altered copies of seat's options.
func (p position) garbage(seat game.Seat) []game.Move {
	bad := slices.Clone(nonsense)
	for _, m := range p.state.View(seat).Options {
		bad = append(bad, wrap("", m, " "+string(m)), wrap("[", m, "]"), wrap(`{"choice":`, m, "}"), wrap("", m, ","))
	}
	return bad
}

// wrap returns m between two texts.
func wrap(before string, m game.Move, after string) game.Move {
	return game.Move(before + string(m) + after)
}
