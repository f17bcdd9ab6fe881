package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
)

// Seasons adds up all seasons of the league that one of them is. Each is read with read: [ReadSeason], or what knows a
// season already.
func Seasons(root *Root, id string, read func(id string, number int) (league.Season, error)) (league.Series, error) {
	settings, err := root.Config().League(id)
	if err != nil {
		return league.Series{}, err
	}
	first := settings.FirstSeason()
	ids, err := root.Leagues().Seasons(first)
	if err != nil {
		return league.Series{}, err
	}
	wanted, err := root.Leagues().SeasonsWanted(first)
	if err != nil {
		return league.Series{}, err
	}
	seasons := make([]league.Season, len(ids))
	for i, id := range ids {
		if seasons[i], err = read(id, i+1); err != nil {
			return league.Series{}, err
		}
	}
	return league.NewSeries(first, wanted, seasons), nil
}

// ReadSeason makes a season from its log. One that has no log yet waits for its players.
func ReadSeason(root *Root) func(id string, number int) (league.Season, error) {
	return func(id string, number int) (league.Season, error) {
		state, err := league.Fold(Entries(journal.Path(filepath.Join(root.Dir(), "data"), id)))
		if errors.Is(err, fs.ErrNotExist) || err == nil && state.Created.LeagueID == "" {
			return league.Season{
				LeagueID: id, Number: number, State: protocol.WaitingForRegistrations, Champions: []string{},
			}, nil
		}
		if err != nil {
			return league.Season{}, err
		}
		return league.SeasonOf(state, number), nil
	}
}
