package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentleague/player"
)

// Strategies are the built-in strategies, by name.
var Strategies = map[string]func() player.Strategy{
	"random":    func() player.Strategy { return player.Random(nil) },
	"alternate": player.Alternate,
	"history":   player.FromHistory,
}

// Strategy returns a built-in strategy.
func Strategy(name string) (player.Strategy, error) {
	mind, ok := Strategies[strings.TrimSpace(name)]
	if !ok {
		return nil, fmt.Errorf("unknown strategy %q; use %s", name, strings.Join(StrategyNames(), ", "))
	}
	return mind(), nil
}

// StrategyNames lists the built-in strategies.
func StrategyNames() []string { return slices.Sorted(maps.Keys(Strategies)) }
