package server

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"agentleague/protocol"
	"agentleague/store"
)

// The manager of a league whose records were removed does not request them from the referees again.
func TestRemovedRecordsAreNotFetched(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	folder := filepath.Join(c.env.DataDir(), "leagues/spring")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	mark := []byte(`{"league_id":"spring","removed_at":"2026-01-01T00:00:00Z"}`)
	if err := os.WriteFile(filepath.Join(folder, "records_removed.json"), mark, 0o644); err != nil {
		t.Fatal(err)
	}
	order := &protocol.CreateLeague{}
	order.LeagueID = "spring"
	if _, err := c.Organizer.Create(t.Context(), order, "a test"); err != nil {
		t.Fatal(err)
	}
	l, err := c.Leagues.Visit("spring")
	if err != nil {
		t.Fatal(err)
	}
	if l.opts.Records != nil || c.First.opts.Records == nil {
		t.Errorf("records: removed %v, others %v", l.opts.Records, c.First.opts.Records)
	}
	removed := (*store.RemovedError)(nil)
	if _, err := c.env.Matches("spring").Load("R1M1"); !errors.As(err, &removed) || removed.At != "2026-01-01T00:00:00Z" {
		t.Errorf("got %v, want that the records were removed", err)
	}
}
