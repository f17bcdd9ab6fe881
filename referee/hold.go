package referee

import (
	"log/slog"
	"sync"
)

// holdings are the finished matches that cannot be stored yet. The referee logs an error when the first is added and
// a warning when the last is stored.
type holdings struct {
	log *slog.Logger

	mu   sync.Mutex
	held map[any]bool
}

// hold adds a match with a record that could not be stored because of err. key is any value that identifies the match.
func (h *holdings) hold(key any, matchID string, err error) {
	h.mu.Lock()
	if h.held == nil {
		h.held = map[any]bool{}
	}
	first := len(h.held) == 0
	h.held[key] = true
	h.mu.Unlock()
	if first {
		h.log.Error("a match cannot be recorded; the referee keeps it and tries again until it can",
			slog.String("match_id", matchID), slog.Any("error", err))
	}
}

// letGo removes a match: its record was stored, or the match was given up.
func (h *holdings) letGo(key any, matchID string, recorded bool) {
	h.mu.Lock()
	last := h.held[key] && len(h.held) == 1
	delete(h.held, key)
	h.mu.Unlock()
	if last && recorded {
		h.log.Warn("matches can be recorded again", slog.String("match_id", matchID))
	}
}
