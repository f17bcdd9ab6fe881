package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"agentleague/config"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/internal/term"
	"agentleague/store"
)

// open opens the root for a league; no id means the root's default league.
func (a *app) open(leagueID string) (*host.Env, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.level)); err != nil {
		return nil, wrongUsage("--log-level: use debug, info, warn or error, got %q", a.level)
	}
	root, err := store.Open(a.root, host.Games())
	if broken := (*fs.PathError)(nil); errors.As(err, &broken) && !host.IsFull(err) {
		return nil, fmt.Errorf("%s cannot be used as the folder of a league: %w; choose another with --root",
			a.root, err)
	}
	if err != nil {
		return nil, err
	}
	h := &host.Env{Root: root, Net: &a.network.net, Screen: a.err, Level: level,
		People: term.Is(a.err) && !a.logging}
	if h.Rules, err = host.LoadRules(a.ctx, root.Dir(), root.Config()); err != nil {
		return nil, err
	}
	if h.System, err = root.Config().System(); err != nil {
		return nil, err
	}
	if leagueID == "" {
		leagueID = root.DefaultLeague()
	}
	if err := config.CheckID("--league-id", leagueID); err != nil {
		return nil, err
	}
	settings, err := root.Config().League(leagueID)
	if err != nil {
		return nil, err
	}
	a.warn(root.Config(), leagueID)
	return h.Of(settings), nil
}

// rules are the games that can be played at the root, which is not touched and may not be there yet.
func (a *app) rules() (catalog.Catalog, error) {
	settings, err := config.Peek(a.root, host.Games())
	if err != nil {
		return catalog.Catalog{}, err
	}
	return host.LoadRules(a.ctx, a.root, settings)
}

// checkGame returns the game of a flag, or an error that lists the games.
func (a *app) checkGame(gameType string) (game.Game, error) {
	rules, err := a.rules()
	if err != nil {
		return nil, err
	}
	g, err := rules.Lookup(gameType)
	if err != nil {
		return nil, wrongUsage("--game: %w", err)
	}
	return g, nil
}

// visit opens an existing root with a league, and creates none.
func (a *app) visit(leagueID string) (*host.Env, error) {
	if _, err := os.Stat(filepath.Join(a.root, "data")); errors.Is(err, fs.ErrNotExist) {
		return nil, a.nothingPlayed()
	}
	h, err := a.open(leagueID)
	if err != nil || leagueID != "" {
		return h, err
	}
	if id := playedInstead(os.DirFS(a.root), h.League.LeagueID); id != h.League.LeagueID {
		return a.open(id)
	}
	return h, nil
}

// nothingPlayed is the error of every reader of a root without a league.
func (a *app) nothingPlayed() error {
	return fmt.Errorf(
		"no league has been played in %s; play one with `league run`, or choose another folder with --root", a.root)
}

// managerFlags are the flags for a manager that listens at a league's address.
func managerFlags(a *app, h *host.Env) (flags string) {
	if a.rooted {
		flags += " --root " + quoted(a.root)
	}
	if id := h.League.LeagueID; id != h.DefaultLeague() {
		flags += " --league-id " + quoted(id)
	}
	return flags
}
