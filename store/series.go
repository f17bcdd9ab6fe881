package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/league/seasons"
	"agentleague/protocol"
)

// Seasons returns the series that a league belongs to. It calls read for each season: [ReadSeason], or a function
// with a cache.
func Seasons(root *Root, id string, read func(id string, number int) (seasons.Season, error)) (seasons.Series, error) {
	settings, err := root.Config().League(id)
	if err != nil {
		return seasons.Series{}, err
	}
	first := settings.FirstSeason()
	ids, err := root.Leagues().Seasons(first)
	if err != nil {
		return seasons.Series{}, err
	}
	wanted, err := root.Leagues().SeasonsWanted(first)
	if err != nil {
		return seasons.Series{}, err
	}
	played := make([]seasons.Season, len(ids))
	for i, id := range ids {
		if played[i], err = read(id, i+1); err != nil {
			return seasons.Series{}, err
		}
	}
	return seasons.NewSeries(first, wanted, played), nil
}

// ReadSeason returns a function that reads a season from its log. A season without a log is one that waits for its
// players.
func ReadSeason(root *Root) func(id string, number int) (seasons.Season, error) {
	return func(id string, number int) (seasons.Season, error) {
		state, err := league.Fold(Entries(journal.Path(filepath.Join(root.Dir(), "data"), id)))
		if errors.Is(err, fs.ErrNotExist) || err == nil && state.Created.LeagueID == "" {
			return seasons.Season{
				LeagueID: id, Number: number, State: protocol.WaitingForRegistrations, Champions: []string{},
			}, nil
		}
		if err != nil {
			return seasons.Season{}, err
		}
		return seasons.Of(state, number), nil
	}
}
