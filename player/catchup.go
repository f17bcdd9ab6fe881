package player

import (
	"context"
	"encoding/json"
	"log/slog"

	"agentleague/protocol"
)

// A player that was offline when one of its matches was decided has missed the result. It queries its manager when it
// comes back, and when the table counts more matches of the player than its history has.

// missed queries the manager for missing matches, and stores them.
func (a *Agent) missed(ctx context.Context) {
	a.mu.Lock()
	q := &protocol.LeagueQuery{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueQuery, LeagueID: a.league},
		QueryType: protocol.QueryPlayerMatches, QueryParams: protocol.QueryParams{PlayerID: a.id, Limit: a.memory.most},
	}
	manager, token := a.peer(a.manager), a.token
	a.mu.Unlock()
	manager.Dialect = protocol.Canonical
	reply, err := a.Node.Call(ctx, manager, q)
	if err != nil {
		a.Node.Logger.Debug("the manager does not tell which matches were missed", slog.Any("error", err))
		return
	}
	var told struct {
		Matches []protocol.PlayerMatch `json:"matches"`
	}
	if r, ok := reply.(*protocol.LeagueQueryResponse); !ok || json.Unmarshal(r.Data, &told) != nil {
		return // a manager of before
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != token { // it has become another player in between
		return
	}
	for _, e := range told.Matches {
		a.memory.catchUp(a.id, e)
	}
}

// countedMore reports whether a table counts more matches of the player than it remembers. The caller holds the lock.
func (a *Agent) countedMore(table []protocol.Standing) bool {
	for _, row := range table {
		if row.PlayerID == a.id {
			return a.native && row.Played > len(a.memory.history) && !a.memory.full()
		}
	}
	return false
}
