package manager

import (
	"log/slog"
	"time"

	"agentleague/league"
)

const (
	// foreignPatience is how long a referee that is not ours may take for a match
	// before another is asked. Ours are asked how far they are.
	foreignPatience = 5 * time.Minute
	// A referee that was gone briefly may have been restarted without its matches: after this time an idle referee is
	// asked, or, if there is none, after the longer time the same one again.
	idlePatience = 30 * time.Second
	backPatience = 2 * time.Minute
)

// A holding is a watcher's view of the matches that a referee holds.
type holding struct {
	since map[league.MatchAssigned]time.Time // when each was seen first
	gone  bool                               // its endpoint did not listen at the last ping
	back  time.Time                          // when it answered again after that; zero: it was never gone
}

// saw notes how a ping ended.
func (h *holding) saw(alive, gone bool) {
	if alive && h.gone {
		h.back = time.Now()
	}
	h.gone = gone || h.gone && !alive
}

// of returns how long a match has been held, and how long its referee is back since it was gone in that time; 0: it was
// not.
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

// overdue asks anew for the matches that a guest, native or not, has held for too
// long: it may answer and never play.
func (w *watcher) overdue(id string, h *holding) {
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
			if held > idlePatience {
				w.stuck.late(a, "it has reported nothing for more than half a minute")
			}
			if held > foreignPatience || back > idlePatience || stuck > idlePatience {
				late = append(late, a)
				anew[a] = held > foreignPatience || back > backPatience
			}
		}
	})
	for _, a := range late {
		w.passOn(a, anew[a], h)
	}
}

// passOn gives a match to another referee, or, if there is none, again to the same one.
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
