package backup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"agentleague/config"
)

// All lists the leagues of a data directory that have a log, sorted by id. It skips logs that are not of leagues, which
// the data directory of a cluster's manager has.
func All(root fs.FS) (out []string, err error) {
	folders, err := fs.ReadDir(root, "data/leagues")
	for _, e := range folders {
		of, records := strings.CutPrefix(e.Name(), "records.")
		if records && begun(root, of) || e.Name() == "cluster" {
			continue
		}
		if config.CheckLeagueID(e.Name()) == nil && begun(root, e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// Seasons lists all started seasons of a league in order. id may be that of any season.
func Seasons(root fs.FS, id string) ([]string, error) {
	if !begun(root, id) {
		return nil, fmt.Errorf("league %s has not begun", id)
	}
	first, _ := seasonOf(root, id)
	settings, err := fs.Glob(root, "config/leagues/*.json")
	if err != nil {
		return nil, err
	}
	number := map[string]int{first: 1}
	for _, name := range settings {
		other := strings.TrimSuffix(path.Base(name), ".json")
		if of, n := seasonOf(root, other); of == first && n > 1 {
			number[other] = n
		}
	}
	var out []string
	for other := range number {
		if config.ValidID(other) && begun(root, other) {
			out = append(out, other)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
	return out, nil
}

// seasonOf returns the first season of a league, and the league's number among its seasons. It does not validate
// other settings.
func seasonOf(root fs.FS, id string) (first string, number int) {
	var v struct {
		Season config.Season `json:"season"`
	}
	text, err := fs.ReadFile(root, config.LeagueFile(id))
	if err != nil || json.Unmarshal(text, &v) != nil || v.Season.Of == "" {
		return id, 1
	}
	return v.Season.Of, v.Season.Number
}

// begun reports whether a league has a log; other leagues have only settings.
func begun(root fs.FS, id string) bool {
	info, err := fs.Stat(root, logName(id))
	return err == nil && info.Size() > 0
}
