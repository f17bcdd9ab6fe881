package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/game/wasm"
)

// A Catalog lists the games that can be played. Its zero value has the built-in games;
// [Catalog.With] adds games from modules. It is immutable.
type Catalog struct {
	modules []module
}

// A module is a game from a file, or the reason why it cannot be played.
type module struct {
	gameType string
	game     game.Game
	err      error
}

// IsModule reports whether the name of some rules is that of a module file rather than a built-in package.
func IsModule(rules string) bool { return strings.HasSuffix(rules, wasm.Extension) }

// With returns a catalog with one more game, whose rules are the module in a file below root. If the module is unusable,
// or ctx ends before it is compiled, Lookup returns the error.
func (c Catalog) With(ctx context.Context, root fs.FS, gameType, file string) Catalog {
	m := module{gameType: gameType}
	if g, err := wasm.Load(ctx, root, file); err != nil {
		m.err = fmt.Errorf("the rules of %.64s cannot be used: %w", gameType, err)
	} else if got := g.Info().Type; got != gameType {
		m.err = fmt.Errorf("the rules of %.64s cannot be used: %s has those of %s", gameType, file, got)
	} else {
		m.game = g
	}
	c.modules = append(slices.Clone(c.modules), m)
	return c
}

// All returns every usable game: the built-in games, then the modules.
func (c Catalog) All() []game.Game {
	out := All()
	for _, m := range c.modules {
		if m.err == nil {
			out = append(out, m.game)
		}
	}
	return out
}

// Types returns the type of every usable game.
func (c Catalog) Types() (names []string) {
	for _, g := range c.All() {
		names = append(names, g.Info().Type)
	}
	return names
}

// Lookup returns the game of that type. It returns an error for an unknown type and for an unusable module.
func (c Catalog) Lookup(gameType string) (game.Game, error) {
	if g, ok := byType[gameType]; ok {
		return g, nil
	}
	for _, m := range c.modules {
		if m.gameType == gameType {
			return m.game, m.err
		}
	}
	return nil, fmt.Errorf("unknown game %.64q: use one of %s", gameType, strings.Join(c.Types(), ", "))
}
