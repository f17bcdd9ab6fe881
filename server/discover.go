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

// Discover finds the data directory's other leagues and opens the unfinished ones, a few concurrently, then marks the
// server ready. A league that fails to open does not stop the others.
func (s *Server) Discover() error {
	defer s.Opened()
	found, err := begun(s.env)
	if err != nil {
		return err
	}
	var unfinished []string
	for _, id := range found {
		if settleIn(s, id) {
			unfinished = append(unfinished, id)
		}
	}
	failed := openFamilies(families(s.env, unfinished), max(2, runtime.GOMAXPROCS(0)), func(id string) error {
		_, err := s.Leagues.Visit(id)
		return err
	})
	for _, id := range unfinished {
		if err := failed[id]; err != nil {
			s.logger.Error("a league cannot be opened; the others are played", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
	for _, id := range s.Leagues.IDs() {
		if s.Leagues.Archived(id) {
			continue
		}
		if err := s.Organizer.goOn(s.life, id); err != nil {
			s.logger.Error("the next season cannot be created", slog.String("league_id", id),
				slog.Any("error", err))
		}
	}
	return nil
}

// begun returns the ids of the data directory's leagues in the order of their creation.
func begun(h *host.Env) ([]string, error) {
	found, err := h.Leagues().Begun()
	created := map[string]time.Time{}
	for _, id := range found {
		created[id] = createdAt(journal.Path(h.DataDir(), id))
	}
	slices.SortStableFunc(found, func(a, b string) int { return created[a].Compare(created[b]) })
	return found, err
}

// settleIn registers a league, which it found in the data directory, with the server. It reports whether the league
// must be opened now: it is neither over nor archived, and its settings allow play.
func settleIn(s *Server, id string) (unfinished bool) {
	over := store.IsOver(s.env.Root, id)
	if err := s.env.Config().Played(id); err != nil && !over {
		s.logger.Info("a league is left alone", slog.String("league_id", id), slog.Any("error", err))
		return false
	}
	s.Leagues.Register(id)
	away := s.env.Leagues().Archived(id)
	state := ""
	if over {
		state = protocol.LeagueIsCompleted
	}
	s.Leagues.discovered(id, state, away)
	return !over && !away
}

// families groups leagues into series of seasons, each in order.
func families(h *host.Env, ids []string) (out [][]string) {
	at := map[string]int{}
	for _, id := range ids {
		first := id
		if settings, err := h.Config().League(id); err == nil { // otherwise it cannot be opened either
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

// openFamilies opens leagues, up to most families concurrently, since reading a log is slow. The seasons of a family
// are opened in order, because a season waits for its open predecessor. It returns the errors by league.
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

// createdAt returns the time of the first line of a journal, or now if it has none.
func createdAt(path string) time.Time {
	for entry, err := range store.Entries(path) {
		if err == nil {
			if at, _, err := league.DecodeBatch(entry.Data); err == nil {
				return at
			}
		}
		break
	}
	return time.Now()
}
