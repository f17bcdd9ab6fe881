package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
)

// Finished reports whether nothing is left to do for a league: it is over, all agents were notified, and its
// table, records and files for people are written. A manager that is killed at the end can leave a league over but
// unfinished.
func Finished(root *Root, s *league.State) bool {
	if !s.Completed() || !s.Announced[league.Announced{What: "league"}] {
		return false
	}
	shown, err := root.Standings(s.Created.LeagueID).Load()
	if err != nil || shown.Version != s.Recorded || !s.Cancelled && shown.RoundsCompleted != s.TotalRounds() {
		return false
	}
	if root.Leagues().RecordsRemoved(s.Created.LeagueID) {
		return true
	}
	matches := root.Matches(s.Created.LeagueID)
	files, err := matches.Shown() // before Has writes those that are missing
	records := 0
	for _, m := range s.Matches {
		if m.Outcome == nil {
			continue
		}
		if !matches.Has(m.ID, m.Outcome.RecordSHA256) {
			return false
		}
		records++
	}
	return err == nil && files >= records
}

// IsOver is a fast, conservative form of Finished, which does not read the whole log. It checks only the end of the
// log, the round of the stored table and the number of records, and returns false if these leave a doubt.
func IsOver(root *Root, id string) bool {
	data := filepath.Join(root.Dir(), "data")
	tail, err := lastBytes(journal.Path(data, id), 64<<10)
	if err != nil || !bytes.Contains(tail, []byte(`"kind":"Announced"`)) ||
		!bytes.Contains(tail, []byte(`"event":{"what":"league"}`)) {
		return false
	}
	shown, err := root.Standings(id).Load()
	if _, last, ok := cutLast(tail, []byte(`"event":{"what":"completed","round":`)); err != nil ||
		!bytes.Contains(tail, []byte(`"kind":"LeagueCancelled"`)) &&
			(!ok || !bytes.HasPrefix(last, fmt.Appendf(nil, "%d}", shown.RoundsCompleted))) {
		return false
	}
	kept, err := root.Matches(id).Shown()
	return root.Leagues().RecordsRemoved(id) || err == nil && kept == shown.Version
}

// cutLast slices text around the last sep.
func cutLast(text, sep []byte) (before, after []byte, ok bool) {
	at := bytes.LastIndex(text, sep)
	if at < 0 {
		return text, nil, false
	}
	return text[:at], text[at+len(sep):], true
}

// lastBytes returns up to most bytes from the end of a file, without an incomplete last line.
func lastBytes(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, size-most), most))
	return tail[:bytes.LastIndexByte(tail, '\n')+1], err
}
