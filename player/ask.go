package player

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
)

// An asker finds out for a strategy what its manager knows, by queries of the
// protocol: only when the strategy asks, once for each match, and never for longer than a
// part of the time that the move has. It is one for each agent.
type asker struct {
	agent *Agent

	mu    sync.Mutex
	known map[string]*finding // by match and query: in the next match it is asked again
	rules map[string]string   // by game; they do not change
}

// A finding is the answer to one query, when ready is closed. Nil data: nobody told.
type finding struct {
	ready chan struct{}
	data  json.RawMessage
}

// Bounds of what a strategy asks for.
const (
	askShare   = 5               // one part in so many of the time that is left
	askMost    = 2 * time.Second // and never longer
	playedMost = 100             // finished matches of one player
	knownMost  = 64              // answers that are kept
)

// Rules are those that this program knows, or else the manager's.
func (q *asker) Rules(ctx context.Context, gameType string) string {
	if local := q.agent.opts.Rules; local != nil {
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

// Table is the one that the manager told last, or what it answers.
func (q *asker) Table(ctx context.Context) []protocol.Standing {
	if heard := q.agent.heardTable(); heard != nil {
		return heard
	}
	var told struct {
		Standings []protocol.Standing `json:"standings"`
	}
	q.ask(ctx, protocol.QueryStandings, protocol.QueryParams{}, &told)
	return told.Standings
}

// Played are the finished matches that the manager tells of a player.
func (q *asker) Played(ctx context.Context, player string, most int) []protocol.PlayerMatch {
	var told struct {
		Matches []protocol.PlayerMatch `json:"matches"`
	}
	q.ask(ctx, protocol.QueryPlayerMatches, protocol.QueryParams{PlayerID: player, Limit: playedMost}, &told)
	slices.Reverse(told.Matches)
	return told.Matches[:min(max(most, 0), len(told.Matches))]
}

// ask puts a query to the manager, or recalls what it answered in the same match, and reports whether it told.
func (q *asker) ask(ctx context.Context, kind string, p protocol.QueryParams, into any) bool {
	m, _ := MatchOf(ctx)
	f, first := q.finding(m.ID, kind+" "+p.PlayerID)
	ctx, cancel := context.WithTimeout(ctx, askingTime(ctx, time.Now()))
	defer cancel()
	if first {
		f.data = q.agent.query(ctx, kind, p)
		close(f.ready)
	}
	select {
	case <-f.ready:
	case <-ctx.Done():
		return false
	}
	return f.data != nil && json.Unmarshal(f.data, into) == nil
}

// finding returns what is known or being asked in a match, and whether the caller is the first to ask.
func (q *asker) finding(match, key string) (f *finding, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key = match + " " + key
	if f = q.known[key]; f != nil {
		return f, false
	}
	if len(q.known) >= knownMost { // of matches that are mostly over
		clear(q.known)
	}
	f = &finding{ready: make(chan struct{})}
	put(&q.known, key, f)
	return f, true
}

// askingTime is how long asking may take in a turn.
func askingTime(ctx context.Context, now time.Time) time.Duration {
	due, bound := ctx.Deadline()
	if !bound {
		return askMost
	}
	return min(askMost, max(0, due.Sub(now)/askShare))
}

// query asks the manager once, if it is one of ours, and returns the data of its answer or nil.
func (a *Agent) query(ctx context.Context, kind string, p protocol.QueryParams) json.RawMessage {
	a.mu.Lock()
	m := &protocol.LeagueQuery{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueQuery, LeagueID: a.league},
		QueryType: kind, QueryParams: p,
	}
	manager, native := a.peer(a.manager), a.native
	a.mu.Unlock()
	if !native || manager.Endpoint == "" {
		return nil
	}
	manager.Dialect = protocol.Canonical
	reply, err := a.Node.Call(ctx, manager, m)
	r, ok := reply.(*protocol.LeagueQueryResponse)
	if err != nil || !ok || !r.Success {
		a.Node.Logger.Debug("the manager does not answer what the strategy wants to know", slog.String("query", kind), slog.Any("error", err))
		return nil
	}
	return r.Data
}

// heardTable is the newest table that the manager told by itself, or nil.
func (a *Agent) heardTable() []protocol.Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.table)
}
