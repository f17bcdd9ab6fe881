package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"agentleague/config"
)

// seasonPlan is data/leagues/<league_id>/seasons.json of a first season: the total number of seasons that was
// ordered, which overrides the settings.
type seasonPlan struct {
	SchemaVersion string `json:"schema_version"`
	LeagueID      string `json:"league_id"`
	Seasons       int    `json:"seasons"`
	OrderedBy     string `json:"ordered_by"`
	LastUpdated   string `json:"last_updated"`
}

// PlanSeasons stores the total number of a league's seasons durably.
func (l Leagues) PlanSeasons(first string, seasons int, by string) error {
	name, err := ofLeague(first, "seasons.json")
	if err != nil {
		return err
	}
	return l.root.save(name, seasonPlan{
		SchemaVersion: config.SchemaVersion, LeagueID: first, Seasons: seasons, OrderedBy: by, LastUpdated: now(),
	})
}

// SeasonsWanted returns the total number of a league's seasons: the ordered number, or else that of the settings.
func (l Leagues) SeasonsWanted(first string) (int, error) {
	name, err := ofLeague(first, "seasons.json")
	if err != nil {
		return 0, err
	}
	var plan seasonPlan
	if err := l.root.load(name, &plan); err != nil {
		return 0, err
	}
	settings, err := l.root.config.League(first)
	return cmp.Or(plan.Seasons, settings.Seasons, 1), err
}

// Seasons lists the seasons of a league in order, beginning with the first.
func (l Leagues) Seasons(first string) ([]string, error) {
	made, err := os.ReadDir(l.root.path("config/leagues"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	numbers := map[string]int{}
	out := []string{first}
	for _, e := range made {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if number := l.seasonOf(id, first); ok && number > 1 {
			out, numbers[id] = append(out, id), number
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return out, nil
}

// seasonOf returns the number of a league among the seasons of first, or 0. It does not validate other settings.
func (l Leagues) seasonOf(id, first string) int {
	var v struct {
		Season config.Season `json:"season"`
	}
	text, err := os.ReadFile(l.root.path(config.LeagueFile(id)))
	if err != nil || json.Unmarshal(text, &v) != nil || v.Season.Of != first {
		return 0
	}
	return v.Season.Number
}
