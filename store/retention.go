package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentleague/engine/journal"
)

// removedFile marks a league whose match records were removed: data/leagues/<league_id>/records_removed.json.
const removedFile = "records_removed.json"

// A removal is the JSON document in a removedFile.
type removal struct {
	LeagueID string `json:"league_id"`
	At       string `json:"removed_at"`
}

// Retention limits the finished leagues whose match records are kept; 0 means no limit.
type Retention struct {
	MaxAge     time.Duration // since the last entry of the league's log
	MaxLeagues int           // the newest are kept
}

// RemoveRecords removes the match records of the finished leagues above the limits, and returns the ids of these
// leagues. Logs, tables and settings stay, and unfinished leagues are not changed. The mark that records were
// removed is durable before the first file is removed, so that a crash leaves no unexplained gap.
func (l Leagues) RemoveRecords(how Retention, now time.Time) (removed []string, err error) {
	if how == (Retention{}) {
		return nil, nil
	}
	ids, err := l.Begun()
	ended := map[string]time.Time{}
	for _, id := range ids {
		info, err := os.Stat(journal.Path(l.root.path("data"), id))
		if err == nil && IsOver(l.root, id) && !l.RecordsRemoved(id) {
			ended[id] = info.ModTime()
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return ended[id].IsZero() })
	slices.SortFunc(ids, func(a, b string) int { return ended[b].Compare(ended[a]) }) // the newest first
	for n, id := range ids {
		tooOld := how.MaxAge > 0 && now.Sub(ended[id]) > how.MaxAge
		if !tooOld && (how.MaxLeagues == 0 || n < how.MaxLeagues) {
			continue
		}
		if failed := l.removeRecords(id); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", id, failed))
			continue
		}
		removed = append(removed, id)
	}
	return removed, err
}

// removeRecords marks a league and removes its records.
func (l Leagues) removeRecords(id string) error {
	name, err := ofLeague(id, removedFile)
	if err != nil {
		return err
	}
	if err := l.root.save(name, removal{id, now()}); err != nil {
		return err
	}
	own, err := filepath.Glob(l.root.path("data/referees/*/" + id))
	for _, path := range append(own, l.root.path("data/matches/"+id), l.root.path(leagueLogName(id))) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// RecordsRemoved reports whether the records of a league were removed.
func (l Leagues) RecordsRemoved(id string) bool {
	_, removed := RecordsRemoved(os.DirFS(l.root.dir), id)
	return removed
}

// RecordsRemoved returns the time at which the records of a league were removed; removed is false if they were not.
func RecordsRemoved(root fs.FS, id string) (at string, removed bool) {
	text, err := fs.ReadFile(root, "data/leagues/"+id+"/"+removedFile)
	var mark removal
	if err != nil || json.Unmarshal(text, &mark) != nil {
		return "", false
	}
	return mark.At, true
}
