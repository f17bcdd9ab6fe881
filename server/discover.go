package server

import (
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// Discover finds the other leagues of the root and opens those that are not
// over, a few at a time. One that cannot be opened keeps nobody from playing. Then the server is ready.
func (c *Server) Discover() error {
	defer c.Opened()
	found, err := begun(c.env)
	if err != nil {
		return err
	}
	var unfinished []string
	for _, id := range found {
		if settleIn(c, id) {
			unfinished = append(unfinished, id)
		}
	}
	failed := openFamilies(families(c.env, unfinished), max(2, runtime.GOMAXPROCS(0)), func(id string) error {
		_, err := c.visit(id)
		return err
	})
	for _, id := range unfinished {
		if err := failed[id]; err != nil {
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

// begun lists the leagues of the root in the order of their creation.
func begun(h *host.Env) ([]string, error) {
	found, err := h.Begun()
	created := map[string]time.Time{}
	for _, id := range found {
		created[id] = createdAt(journal.Path(h.DataDir(), id))
	}
	slices.SortStableFunc(found, func(a, b string) int { return created[a].Compare(created[b]) })
	return found, err
}

// settleIn gives a league of the root its place on the server, and reports whether it has to be opened: it is neither
// over nor put away, nor one that its settings keep from being played.
func settleIn(c *Server, id string) (unfinished bool) {
	over := store.IsOver(c.env.Root, id)
	if err := c.env.Config().Played(id); err != nil && !over {
		c.logger.Info("a league is left alone", slog.String("league_id", id), slog.Any("error", err))
		return false
	}
	c.add(id, func() (*League, error) { return c.open(id) })
	if over {
		c.found(id, protocol.LeagueIsCompleted)
	}
	away := c.env.Shelf().Has(id)
	c.place(id).archive(away)
	return !over && !away
}

// families puts the seasons of each league together, in the order in which they stand.
func families(h *host.Env, ids []string) (out [][]string) {
	at := map[string]int{}
	for _, id := range ids {
		first := id
		if settings, err := h.Config().League(id); err == nil { // else it cannot be opened either
			first = settings.FirstSeason()
		}
		if _, there := at[first]; !there {
			at[first] = len(out)
			out = append(out, nil)
		}
		out[at[first]] = append(out[at[first]], id)
	}
	return out
}

// openFamilies opens leagues, as many families as most says at the same time: what takes long is to read a log. Within
// a family it is one after the other, since a season waits for the one before, if that is open. It returns why leagues
// could not be opened.
func openFamilies(families [][]string, most int, open func(id string) error) map[string]error {
	var mu sync.Mutex
	failed := map[string]error{}
	var all sync.WaitGroup
	turn := make(chan struct{}, most)
	for _, ids := range families {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			for _, id := range ids {
				if err := open(id); err != nil {
					mu.Lock()
					failed[id] = err
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return failed
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
