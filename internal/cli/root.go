package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"agentleague/config"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/store"
)

// open opens the data directory with a league; "" means the data directory's default league.
func (a *app) open(leagueID string) (*host.Env, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.level)); err != nil {
		return nil, usage.Wrong("--log-level: use debug, info, warn or error, got %q", a.level)
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

// rules returns the games that can be played in the data directory. It is read-only; the data directory need not exist.
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
		return nil, usage.Wrong("--game: %w", err)
	}
	return g, nil
}

// visit opens an existing data directory with a league, and returns an error if the data directory does not exist. If
// leagueID is empty and the default league was never played, it opens the last played one.
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

// nothingPlayed returns the error for a data directory without a league.
func (a *app) nothingPlayed() error {
	return fmt.Errorf(
		"no league has been played in %s; play one with `league run`, or choose another folder with --root", a.root)
}

// managerFlags returns the flags that start a manager for this data directory and league.
func managerFlags(a *app, h *host.Env) (flags string) {
	if a.rooted {
		flags += " --root " + quoted(a.root)
	}
	if id := h.League.LeagueID; id != h.DefaultLeague() {
		flags += " --league-id " + quoted(id)
	}
	return flags
}

// playedInstead returns id if that league has data in the data directory, and otherwise the id of the last played
// league.
func playedInstead(root fs.FS, id string) string {
	if _, err := fs.Stat(root, "data/leagues/"+id); err == nil {
		return id
	}
	logs, _ := fs.Glob(root, "data/leagues/*/journal.jsonl") // the pattern is right
	var newest fs.FileInfo
	for _, name := range logs {
		info, err := fs.Stat(root, name)
		if err == nil && (newest == nil || info.ModTime().After(newest.ModTime())) {
			newest, id = info, strings.Split(name, "/")[2]
		}
	}
	return id
}

// whichLeague returns the --league-id flag for a league; "" if it is the default.
func (a *app) whichLeague(id string) string {
	if own, err := resolveLeagueID(a, os.DirFS(a.root), "", "--league-id"); err == nil && own == id {
		return ""
	}
	return " --league-id " + term.Brief(id)
}

// noteDown prints the seal and the log's head, which a user can note down and later verify the log against.
func (a *app) noteDown(m *manager.Manager) {
	if !a.json {
		var words string
		m.Read(func(s *league.State) {
			words = show.SealWords(s.Seal, s.Head().Hash, a.whichLeague(s.Created.LeagueID))
		})
		fmt.Fprintln(a.err, words)
	}
}

// resolveLeagueID returns the id of the league to read: asked or, if that is empty, the default. It is read-only. An
// error advises the user to choose another league with the flag option.
func resolveLeagueID(a *app, root fs.FS, asked, option string) (string, error) {
	id := asked
	if id == "" {
		var system struct {
			League string `json:"default_league_id"`
		}
		text, err := fs.ReadFile(root, "config/system.json")
		if errors.Is(err, fs.ErrNotExist) {
			return "", a.nothingPlayed()
		}
		if err == nil {
			err = json.Unmarshal(text, &system)
		}
		if id = system.League; err != nil || id == "" {
			return "", fmt.Errorf("%s/config/system.json names no default league; choose one with %s, or "+
				"another folder with --root", a.root, option)
		}
		id = playedInstead(root, id)
	}
	if err := config.CheckID(option, id); err != nil {
		return "", err
	}
	if _, err := fs.Stat(root, "data/leagues/"+id); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no league %s has been played in %s; play one with `league run`, or choose another with %s and --root",
			id, a.root, option)
	}
	return id, nil
}

// titleIn returns the display name of a league in the data directory's configuration; "" if it has none, or equals the
// id.
func titleIn(root fs.FS, id string) string {
	var settings struct {
		DisplayName string `json:"display_name"`
	}
	text, err := fs.ReadFile(root, "config/leagues/"+id+".json")
	if err != nil || json.Unmarshal(text, &settings) != nil || settings.DisplayName == id {
		return ""
	}
	return settings.DisplayName
}

// progress returns a display of a league that this process runs.
func (a *app) progress(m *manager.Manager, title string) *show.Progress {
	return show.NewProgress(a.out, a.err, a.json, m, title)
}
