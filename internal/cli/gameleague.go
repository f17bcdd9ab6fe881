package cli

import (
	"errors"
	"io/fs"
	"strings"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/files"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/league"
	"agentleague/server"
	"agentleague/store"
)

// gamesText is what a flag for a game takes.
var gamesText = "the game: " + strings.Join(catalog.Types(), ", ")

// open opens the league that a run plays: the one asked for, or else the first of the root's that is not finished. The
// default league is named after its game; where another game is asked for, its league has that name instead.
func (f runFlags) open(a *app) (*host.Env, error) {
	h, err := a.open(f.leagueID)
	if err != nil || f.leagueID != "" {
		return h, err
	}
	if id := renamed(h.League.LeagueID, h.League.GameType, f.game); id != h.League.LeagueID && !f.begunIn(h) {
		if h, err = f.openAs(a, h, id); err != nil {
			return nil, err
		}
	}
	for {
		state, err := played(h)
		if err != nil || !store.Finished(h.Root, state) {
			return h, err
		}
		if h, err = f.openAs(a, h, league.NextSeason(h.League.LeagueID, nil)); err != nil {
			return nil, err
		}
	}
}

// renamed is the name of a league that is called after its game, for another one: league_2025_even_odd becomes
// league_2025_memory. Any other name stays.
func renamed(id, game, other string) string {
	base, named := strings.CutSuffix(id, "_"+game)
	if !named || other == "" {
		return id
	}
	return base + "_" + other
}

// begunIn reports whether a league that is not finished is played in the game that is asked for, whatever it is called.
func (f runFlags) begunIn(h *host.Env) bool {
	state, err := played(h)
	return err == nil && state.Created.GameType == f.game && !store.Finished(h.Root, state)
}

func played(h *host.Env) (*league.State, error) {
	return league.Fold(store.Entries(journal.Path(h.DataDir(), h.League.LeagueID)))
}

// openAs opens a further league of a root. If there is none of that name it gets the settings of the one before, with
// the game that is asked for.
func (f runFlags) openAs(a *app, before *host.Env, id string) (*host.Env, error) {
	if f.game != "" {
		_, err := before.CreateLeague(id, func(v *config.League) { f.settle(v, before) })
		if err != nil && !errors.Is(err, files.ErrLeagueExists) {
			return nil, err
		}
	}
	return a.open(id)
}

// settle writes the settings of a league after those of another.
func (f runFlags) settle(v *config.League, before *host.Env) {
	id, at, was := v.LeagueID, v.LastUpdated, before.League
	*v = was
	v.LeagueID, v.LastUpdated, v.GameType, v.Season = id, at, f.game, nil
	v.DisplayName = strings.Replace(was.DisplayName, server.GameName(before, was.GameType), server.GameName(before, f.game), 1)
}

// playedInstead is the league of a root that a verb is about if nobody names one: the default one or, if that was never
// played, the one that was played last.
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
