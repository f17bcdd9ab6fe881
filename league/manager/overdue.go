package manager

import (
	"log/slog"
	"time"

	"agentleague/league"
)

const (
	// foreignMatchTimeout is the maximum time that a referee other than the organiser's may take for a match before
	// another is asked, and the timeout of an order to a third-party referee.
	foreignMatchTimeout = 5 * time.Minute
	// A referee that was unreachable for a moment may have been restarted and lost its matches. After reassignDelay the
	// match goes to an idle referee. If there is none, after reorderDelay it is ordered from the same referee again.
	reassignDelay = 30 * time.Second
	reorderDelay  = 2 * time.Minute
)

// A holding tracks since when a referee has had each of its unfinished matches.
type holding struct {
	since map[league.MatchAssigned]time.Time // when each was seen first
	gone  bool                               // its endpoint did not listen at the last ping
	back  time.Time                          // when it answered again after that; zero: it was never gone
}

// recordPing records whether the referee answered a ping, and whether its endpoint refused the connection.
func (h *holding) recordPing(alive, gone bool) {
	if alive && h.gone {
		h.back = time.Now()
	}
	h.gone = gone || h.gone && !alive
}

// of returns how long the referee has had an attempt, and how long ago it became reachable again; back is 0 if it was
// reachable all the time.
func (h *holding) of(a league.MatchAssigned) (held, back time.Duration) {
	since, seen := h.since[a]
	if !seen {
		since = time.Now()
		h.since[a] = since
	}
	if h.back.After(since) {
		back = time.Since(h.back)
	}
	return time.Since(since), back
}

// reassignOverdue reassigns the matches that a referee other than the organiser's has held for too long. Such a referee
// may answer pings and never play.
func (w *watcher) reassignOverdue(id string, h *holding) {
	var late []league.MatchAssigned
	anew := map[league.MatchAssigned]bool{} // the same one may have it again
	w.Read(func(s *league.State) {
		if s.Agents[id].Organiser {
			return
		}
		for _, match := range s.Open() {
			a := match.Attempt()
			if a.Referee != id {
				continue
			}
			stuck := w.stuck.since(a)
			held, back := h.of(a)
			if held > reassignDelay {
				w.stuck.noteLate(a, "it has reported nothing for more than half a minute")
			}
			if held > foreignMatchTimeout || back > reassignDelay || stuck > reassignDelay {
				late = append(late, a)
				anew[a] = held > foreignMatchTimeout || back > reorderDelay
			}
		}
	})
	for _, a := range late {
		w.passOn(a, anew[a], h)
	}
}

// passOn assigns the match of an attempt to another referee. If no other is free and anew is true, the same referee
// gets a new attempt.
func (w *watcher) passOn(a league.MatchAssigned, anew bool, h *holding) {
	passed := false
	_ = w.Do(w.ctx, func(s *league.State) ([]league.Event, error) {
		events := league.Reassign(s, a)
		if anew && events == nil {
			events = league.AssignAnew(s, a)
		}
		passed = len(events) > 0
		return events, nil
	})
	if passed || anew {
		delete(h.since, a)
		w.warn("a referee does not report a match", slog.String("match_id", a.Match), slog.String("referee_id", a.Referee))
	}
}
