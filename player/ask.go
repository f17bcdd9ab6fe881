package player

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
)

// An asker sends a strategy's queries to the manager: on demand, at most once per query and match, and each for at most
// a fifth of the time left for the move. Each agent has one. It is safe for concurrent use.
type asker struct {
	manager *managerClient

	mu    sync.Mutex
	known map[string]*finding // by match and query: in the next match it is asked again
	rules map[string]string   // by game; they do not change
}

// A finding is the cached answer to one query. ready is closed when the query has ended; nil data means that there was
// no answer.
type finding struct {
	ready chan struct{}
	data  json.RawMessage
}

// Bounds of a strategy's queries.
const (
	askShare        = 5               // the divisor of the remaining time
	maxAskTime      = 2 * time.Second // and never longer
	maxAskedMatches = 100             // finished matches of one player
	maxAnswers      = 64              // answers that are kept
)

// Rules returns the rules of a game, from this program or else from the manager, or "" if unknown.
func (q *asker) Rules(ctx context.Context, gameType string) string {
	if local := q.manager.opts.Rules; local != nil {
		if text := local(gameType); text != "" {
			return text
		}
	}
	q.mu.Lock()
	text, known := q.rules[gameType]
	q.mu.Unlock()
	if known {
		return text
	}
	var told struct {
		Games map[string]protocol.GameInfo `json:"game_registry"`
	}
	if q.ask(ctx, protocol.QueryGames, protocol.QueryParams{}, &told) {
		q.mu.Lock()
		defer q.mu.Unlock()
		put(&q.rules, gameType, told.Games[gameType].Rules)
	}
	return told.Games[gameType].Rules
}

// Table returns the last table that the manager has sent, or queries the manager for it. It may be nil.
func (q *asker) Table(ctx context.Context) []protocol.Standing {
	if heard := q.manager.latestTable(); heard != nil {
		return heard
	}
	var told struct {
		Standings []protocol.Standing `json:"standings"`
	}
	q.ask(ctx, protocol.QueryStandings, protocol.QueryParams{}, &told)
	return told.Standings
}

// Played queries the manager for the last finished matches of a player, the newest first, at most most.
func (q *asker) Played(ctx context.Context, player string, most int) []protocol.PlayerMatch {
	var told struct {
		Matches []protocol.PlayerMatch `json:"matches"`
	}
	q.ask(ctx, protocol.QueryPlayerMatches, protocol.QueryParams{PlayerID: player, Limit: maxAskedMatches}, &told)
	slices.Reverse(told.Matches)
	return told.Matches[:min(max(most, 0), len(told.Matches))]
}

// ask sends a query to the manager, or uses the cached answer from the same match, and decodes the data into the value
// that into points to. It returns false if there is no valid answer in time.
func (q *asker) ask(ctx context.Context, kind string, p protocol.QueryParams, into any) bool {
	m, _ := MatchOf(ctx)
	f, first := q.finding(m.ID, kind+" "+p.PlayerID)
	ctx, cancel := context.WithTimeout(ctx, askingTime(ctx, time.Now()))
	defer cancel()
	if first {
		f.data = q.manager.query(ctx, kind, p)
		close(f.ready)
	}
	select {
	case <-f.ready:
	case <-ctx.Done():
		return false
	}
	return f.data != nil && json.Unmarshal(f.data, into) == nil
}

// finding returns the cache entry of a query in a match. If first, the caller must send the query and close ready.
func (q *asker) finding(match, key string) (f *finding, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key = match + " " + key
	if f = q.known[key]; f != nil {
		return f, false
	}
	if len(q.known) >= maxAnswers { // of matches that are mostly over
		clear(q.known)
	}
	f = &finding{ready: make(chan struct{})}
	put(&q.known, key, f)
	return f, true
}

// askingTime returns the timeout of a query during a turn.
func askingTime(ctx context.Context, now time.Time) time.Duration {
	due, bound := ctx.Deadline()
	if !bound {
		return maxAskTime
	}
	return min(maxAskTime, max(0, due.Sub(now)/askShare))
}
