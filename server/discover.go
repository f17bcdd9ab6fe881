package server

import (
	"log/slog"
	"slices"
	"time"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// Discover finds the other leagues of the root and opens those that are not
// over. One that cannot be opened keeps nobody from playing. Then the server is ready.
func (c *Server) Discover() error {
	defer c.Opened()
	h := c.env
	found, err := h.Begun()
	if err != nil {
		return err
	}
	created := map[string]time.Time{}
	for _, id := range found {
		created[id] = createdAt(journal.Path(h.DataDir(), id))
	}
	slices.SortStableFunc(found, func(a, b string) int { return created[a].Compare(created[b]) })
	for _, id := range found {
		over := store.IsOver(h.Root, id)
		if err := h.Config().Played(id); err != nil && !over {
			c.logger.Info("a league is left alone", slog.String("league_id", id), slog.Any("error", err))
			continue
		}
		c.add(id, func() (*League, error) { return c.open(id) })
		if over {
			c.found(id, protocol.LeagueIsCompleted)
		}
		away := h.Shelf().Has(id)
		if c.place(id).archive(away); over || away {
			continue
		}
		if _, err := c.visit(id); err != nil {
			c.logger.Error("a league cannot be opened; the others are played", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
	for _, id := range c.Leagues() {
		if c.Archived(id) {
			continue
		}
		if err := c.goOn(c.life, id); err != nil {
			c.logger.Error("the next season cannot be created", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
	return nil
}

// createdAt is when the first line of a journal was written, or now if it has none.
func createdAt(path string) time.Time {
	for entry, err := range store.Entries(path) {
		if err != nil {
			break
		}
		if at, _, err := league.DecodeBatch(entry.Data); err == nil {
			return at
		}
		break
	}
	return time.Now()
}
