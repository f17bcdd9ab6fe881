package client

import (
	"context"
	"encoding/json"
	"errors"

	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/protocol"
)

// A Source answers questions about a league: a manager, or its log.
type Source interface {
	Ask(ctx context.Context, query string, p protocol.QueryParams, data any) (leagueID string, err error)
}

// An offlineLog answers from the log of a league.
type offlineLog struct{ State *league.State }

// Ask answers a query.
func (l offlineLog) Ask(_ context.Context, query string, p protocol.QueryParams, data any) (leagueID string, err error) {
	answer, err := answers.AnswerOffline(l.State, query, p)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", err
	}
	return l.State.Created.LeagueID, json.Unmarshal(text, data)
}

// A Fallback queries a manager. After the first query that no manager answers, it uses the log.
type Fallback struct {
	Manager *Client
	Log     func() (*league.State, error) // returns nil where there is none; nil: only the manager will do

	past *offlineLog
}

// Ask answers a query.
func (f *Fallback) Ask(ctx context.Context, query string, p protocol.QueryParams, data any) (leagueID string, err error) {
	if f.past == nil {
		leagueID, err = f.Manager.Ask(ctx, query, p, data)
		if !errors.Is(err, ErrNoManager) || f.Log == nil {
			return leagueID, err
		}
		state, bad := f.Log()
		if bad != nil {
			return "", bad
		}
		if state == nil {
			return "", err
		}
		f.past = &offlineLog{state}
	}
	return f.past.Ask(ctx, query, p, data)
}
