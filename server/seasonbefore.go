package server

import (
	"slices"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/store"
)

// SeasonBefore returns the id of the season before a league.
func SeasonBefore(h *host.Env) (string, error) {
	made, err := h.Leagues().Seasons(h.League.FirstSeason())
	if err != nil {
		return "", err
	}
	return made[max(slices.Index(made, h.League.LeagueID)-1, 0)], nil
}

// ratingsBefore returns the ratings at the end of the season before a ladder, by the identities of players; nil if there
// is none, or its log cannot be read.
func ratingsBefore(h *host.Env) map[string][2]int {
	if h.League.Season == nil {
		return nil
	}
	before, err := SeasonBefore(h)
	if err != nil {
		return nil
	}
	s, err := store.Fold(journal.Path(h.DataDir(), before))
	if err != nil {
		return nil
	}
	return league.FinalRatings(s)
}
