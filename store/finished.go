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

// Finished reports whether nothing is left to do for a league: it is over, all agents know, and its table, its records
// and the files for people are written. A league that was killed at its very end is over by its log and not finished.
func Finished(root *Root, s *league.State) bool {
	if !s.Completed() || !s.Announced[league.Announced{What: "league"}] {
		return false
	}
	shown, err := root.Standings(s.Created.LeagueID).Load()
	if err != nil || shown.Version != s.Recorded || !s.Cancelled && shown.RoundsCompleted != s.Schedule.Rounds() {
		return false
	}
	if root.Leagues().recordsRemoved(s.Created.LeagueID) {
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

// IsOver is Finished by the looks, without reading the whole log: its end says that all agents know, the table
// is that of the last round, and every result has a record. If unsure, the league counts as unfinished.
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
	return root.Leagues().recordsRemoved(id) || err == nil && kept == shown.Version
}

// cutLast slices text around the last sep.
func cutLast(text, sep []byte) (before, after []byte, ok bool) {
	at := bytes.LastIndex(text, sep)
	if at < 0 {
		return text, nil, false
	}
	return text[:at], text[at+len(sep):], true
}

// lastBytes reads the end of a file, up to its last whole line.
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
