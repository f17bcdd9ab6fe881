package standalone

import (
	"errors"
	"strings"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/seasons"
	"agentleague/server"
	"agentleague/store"
)

// Find opens a league by its id or, without one, the first unfinished league of a root; open opens a league, "" the
// default one. The default league is named after its game; a league of another given game has the name of that game
// instead.
func Find(id, game string, open func(leagueID string) (*host.Env, error)) (*host.Env, error) {
	if id != "" {
		return open(id)
	}
	f := leagueOf{game, open}
	h, err := f.open("")
	if err != nil {
		return nil, err
	}
	if id := renamed(h.League.LeagueID, h.League.GameType, f.game); id != h.League.LeagueID && !f.begunIn(h) {
		if h, err = f.openAs(h, id); err != nil {
			return nil, err
		}
	}
	for {
		state, err := played(h)
		if err != nil || !store.Finished(h.Root, state) {
			return h, err
		}
		if h, err = f.openAs(h, seasons.Next(h.League.LeagueID, nil)); err != nil {
			return nil, err
		}
	}
}

// A leagueOf is a search for the league of a game.
type leagueOf struct {
	game string // "": that of the default league
	open func(leagueID string) (*host.Env, error)
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

// begunIn reports whether an unfinished league plays the given game, under any id.
func (f leagueOf) begunIn(h *host.Env) bool {
	state, err := played(h)
	return err == nil && state.Created.GameType == f.game && !store.Finished(h.Root, state)
}

// played reads the log of a league; a missing league has an empty log.
func played(h *host.Env) (*league.State, error) {
	return store.Fold(journal.Path(h.DataDir(), h.League.LeagueID))
}

// openAs opens a further league of a data directory. If there is none of that name it gets the settings of the one
// before, with the given game.
func (f leagueOf) openAs(before *host.Env, id string) (*host.Env, error) {
	if f.game != "" {
		_, err := before.Leagues().Create(id, func(v *config.League) { f.settle(v, before) })
		if err != nil && !errors.Is(err, store.ErrLeagueExists) {
			return nil, err
		}
	}
	return f.open(id)
}

// settle writes the settings of a league after those of another.
func (f leagueOf) settle(v *config.League, before *host.Env) {
	id, at, was := v.LeagueID, v.LastUpdated, before.League
	*v = was
	v.LeagueID, v.LastUpdated, v.GameType, v.Season = id, at, f.game, nil
	v.DisplayName = strings.Replace(was.DisplayName, server.GameName(before, was.GameType), server.GameName(before, f.game), 1)
}
