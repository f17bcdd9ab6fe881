package server

import (
	"context"
	"encoding/json"
	"errors"

	"agentleague/check"
	"agentleague/duel"
	"agentleague/game"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
	"agentleague/web"
)

// record returns the record of a match that counts, from the manager's files. The record is not verified.
func (p *leaguePages) record(ctx context.Context, id, match string) (protocol.MatchRecord, error) {
	doc, err := p.document(ctx, id, match)
	if removed := (*store.RemovedError)(nil); errors.As(err, &removed) {
		return protocol.MatchRecord{}, &web.RemovedError{At: removed.At}
	}
	if err != nil {
		return protocol.MatchRecord{}, err
	}
	return protocol.ParseRecord(doc)
}

// document returns the record of a match that counts, byte for byte. The record is not verified.
func (p *leaguePages) document(_ context.Context, id, match string) ([]byte, error) {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return nil, err
	}
	return l.Env.Matches(id).Load(match)
}

// mistake returns the turn, from 1, of the move that lost a match; 0 if there is none.
func (p *leaguePages) mistake(ctx context.Context, id, match string) (int, error) {
	rules, rec, err := p.played(id, match)
	if err != nil {
		return 0, err
	}
	turn, found, err := duel.Mistake(ctx, rules, &rec)
	if !found {
		return 0, err
	}
	return turn + 1, err
}

// retrace returns the positions of a finished match as spectators may see them, computed from the moves in the log.
func (p *leaguePages) retrace(id, match string) ([]json.RawMessage, error) {
	rules, rec, err := p.played(id, match)
	if err != nil {
		return nil, err
	}
	return duel.Retrace(rules, &rec)
}

// played returns the game of a finished match, and the part of its record that can be derived from the log.
func (p *leaguePages) played(id, match string) (rules game.Game, rec protocol.MatchRecord, err error) {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return nil, rec, err
	}
	l.Manager.Read(func(s *league.State) {
		if m := s.Matches[match]; m != nil && m.Outcome != nil {
			rec = s.RecordFromLog(m)
			rec.Fairness.Key = m.Outcome.DrawKey
		}
	})
	rules, err = l.Env.Rules.Lookup(rec.GameType)
	return rules, rec, err
}

// verifyMatch verifies one match for the page.
func (p *leaguePages) verifyMatch(ctx context.Context, id, match string) (web.Proof, error) {
	if _, err := p.leagues.Visit(id); err != nil {
		return web.Proof{}, err
	}
	proof, err := p.prover.Match(ctx, id, match)
	out := web.Proof{MatchID: proof.MatchID}
	for _, s := range proof.Steps {
		out.Add(s.Status, s.Name, s.Detail)
	}
	return out, err
}

// checkAgent runs `league check` for the page, limited to the addresses that this manager may call.
func (p *leaguePages) checkAgent(ctx context.Context, endpoint string, role protocol.Role) (protocol.Report, error) {
	if err := p.env.Net.Guard.CheckEndpoint(endpoint); err != nil {
		return protocol.Report{}, err
	}
	return check.Run(ctx, endpoint, check.Options{Role: role})
}

// practise plays a practice match for the page with a player that is not in the league. It is limited to the
// addresses that this manager may call, and returns nil, nil if the league has started or the endpoint is that of its
// agent.
func (p *leaguePages) practise(ctx context.Context, id, endpoint string) (*protocol.Practice, error) {
	l, err := p.leagues.Visit(id)
	if err != nil {
		return nil, err
	}
	var game string
	l.Manager.Read(func(s *league.State) {
		if !s.Started() && !isIn(s, endpoint) {
			game = s.Created.GameType
		}
	})
	if game == "" {
		return nil, nil
	}
	env := p.env
	if err := env.Net.Guard.CheckEndpoint(endpoint); err != nil {
		return nil, err
	}
	played, err := duel.Practise(ctx, env.Rules, game, endpoint, nil, rpc.Options{
		Guard: env.Net.Guard, TLS: env.Net.Trust, Credentials: env.CredentialsFor,
	})
	return &played, err
}

// isIn reports whether an agent of the league has the endpoint.
func isIn(s *league.State, endpoint string) bool {
	for _, a := range s.Agents {
		if a.Endpoint == endpoint {
			return true
		}
	}
	return false
}
