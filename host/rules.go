package host

import (
	"context"
	"os"

	"agentleague/config"
	"agentleague/game"
	"agentleague/game/catalog"
)

// Games returns the registry of all built-in games.
func Games() []config.GameEntry { return entries(catalog.All()) }

// entries are games as a registry has them.
func entries(games []game.Game) (out []config.GameEntry) {
	for _, g := range games {
		i := g.Info()
		out = append(out, config.GameEntry{
			GameType: i.Type, DisplayName: i.Name, RulesModule: i.Module, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices,
			MinPlayers: i.MinSeats, MaxPlayers: i.MaxSeats,
		})
	}
	return out
}

// Rules returns the rules of a game in a paragraph, or "" for an unknown game.
func Rules(gameType string) string { return rulesIn(catalog.Catalog{}, gameType) }

// RulesOf returns the rules of a game in a paragraph, or "" for a game that the data directory does not have.
func (h *Env) RulesOf(gameType string) string { return rulesIn(h.Rules, gameType) }

// rulesIn returns the rules text of a game in a catalog, or "" for an unknown game.
func rulesIn(games catalog.Catalog, gameType string) string {
	g, err := games.Lookup(gameType)
	if err != nil {
		return ""
	}
	return g.Info().Rules
}

// LoadRules returns the games of the data directory in dir: the built-in ones, and the modules in its registry, which
// it also adds to settings. The error of an unusable module is returned only when its game is looked up. If ctx ends
// while modules are compiled, LoadRules returns its error.
func LoadRules(ctx context.Context, dir string, settings *config.Reader) (rules catalog.Catalog, err error) {
	registry, err := settings.Games()
	if err != nil {
		return rules, err
	}
	var more []game.Game
	broken := map[string]error{}
	for _, entry := range registry.Games {
		if _, err := catalog.Lookup(entry.GameType); err == nil || !catalog.IsModule(entry.RulesModule) {
			continue
		}
		if rules, err = withModule(ctx, rules, dir, entry); err != nil {
			return rules, err
		}
		if g, err := rules.Lookup(entry.GameType); err != nil {
			broken[entry.GameType] = err
		} else {
			more = append(more, g)
		}
	}
	settings.Extend(entries(more), broken)
	return rules, nil
}

// withModule adds the game of a registry entry whose rules are a module. The file must be below dir, even after
// symbolic links are resolved.
func withModule(ctx context.Context, rules catalog.Catalog, dir string, entry config.GameEntry) (catalog.Catalog, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return rules, err
	}
	defer func() { _ = root.Close() }()
	return rules.With(ctx, root.FS(), entry.GameType, entry.RulesModule), context.Cause(ctx)
}
