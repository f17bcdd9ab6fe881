package store

import (
	"fmt"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/league/seasons"
)

// Careers computes the ratings of all agents from the logs of the finished leagues of a root.
func Careers(root *Root) ([]seasons.GameCareers, error) {
	ids, err := root.Leagues().Begun()
	if err != nil {
		return nil, err
	}
	var periods []seasons.Period
	for _, id := range ids {
		state, err := league.Fold(Entries(journal.Path(filepath.Join(root.Dir(), "data"), id)))
		if err != nil {
			return nil, fmt.Errorf("league %s: %w", id, err)
		}
		periods = append(periods, seasons.PeriodOf(state))
	}
	return seasons.Careers(periods), nil
}
