package cli

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"

	"agentleague/files"
	"agentleague/league"
	"agentleague/league/mcpserver"
	"agentleague/metrics"
	"agentleague/protocol"
	"agentleague/referee"
)

// What follows lets the layers write files and show figures without knowing of them.

// A recorder keeps a referee's finished matches in its folder.
type recorder struct{ *files.Records }

func (r recorder) Record(_ context.Context, f referee.Finished) error {
	doc, err := f.Document()
	if err != nil {
		return err
	}
	order, err := json.Marshal(f.Start)
	if err != nil {
		return err
	}
	return r.Save(f.Record.Ref(), doc, order)
}

func (r recorder) Learned(_ context.Context, f referee.Finished) error {
	order, err := json.Marshal(f.Start)
	if err != nil {
		return err
	}
	return r.SaveOrder(f.Record.Ref(), order)
}

func (r recorder) Reported(_ context.Context, ref protocol.RecordRef) error {
	return r.Records.Reported(ref)
}

func (r recorder) Unreported(context.Context) iter.Seq2[referee.Finished, error] {
	return func(yield func(referee.Finished, error) bool) {
		for u, err := range r.Records.Unreported() {
			var f referee.Finished
			if err == nil {
				f.Record, err = protocol.ParseRecord(u.Document)
			}
			if err == nil {
				err = json.Unmarshal(u.Order, &f.Start)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func (r recorder) Document(_ context.Context, ref protocol.RecordRef) ([]byte, error) {
	doc, err := r.Records.Document(ref)
	if errors.Is(err, files.ErrNoRecord) {
		return nil, referee.ErrNoRecord
	}
	return doc, err
}

// records keeps the records that count.
type records struct{ files.MatchRepository }

func (r records) Store(match string, document []byte) error { return r.Save(match, document) }

// record finds the record of a match for those who want to read it.
func (h *house) record(leagueID string) func(match string) ([]byte, error) {
	return func(match string) ([]byte, error) {
		doc, err := h.Matches(leagueID).Load(match)
		if errors.Is(err, files.ErrNoRecord) {
			return nil, mcpserver.ErrNoRecord
		}
		return doc, err
	}
}

// adopt copies the record of a referee that lives on this root.
func (h *house) adopt(referee string, ref protocol.RecordRef, hash string) bool {
	kept, err := h.Records(referee)
	if err != nil {
		return false
	}
	text, err := kept.Sealed(ref, hash)
	if err != nil {
		return false
	}
	return h.Matches(ref.LeagueID).Save(ref.MatchID, text) == nil
}

// season counts what the metrics of a manager show of its league.
func season(m *league.Manager) metrics.Season {
	now := metrics.Season{Agents: map[metrics.Group]int{}}
	m.Read(func(s *league.State) {
		now.Results = s.Recorded
		for _, a := range s.Agents {
			now.Agents[metrics.Group{Role: a.Role, State: a.State}]++
		}
	})
	return now
}

// A projector writes the files that show a league. It is used by one goroutine at a time.
type projector struct {
	root    *files.Root
	manager string
	agents  []league.AgentView // as they were written
}

// Project writes the table last: where that is as it has to be at the end of a league, the rest is too (see [house.isOver]).
func (p *projector) Project(s league.Snapshot) error {
	if err := errors.Join(p.root.Rounds(s.LeagueID).Save(roundsOf(s)), p.projectAgents(s)); err != nil {
		return err
	}
	return p.root.Standings(s.LeagueID).Save(standingsOf(s))
}

// projectAgents writes who registered if that has changed: a crowd is long to write, and changes seldom.
func (p *projector) projectAgents(s league.Snapshot) error {
	if p.agents != nil && reflect.DeepEqual(p.agents, s.Agents) {
		return nil
	}
	err := p.root.Agents(s.LeagueID).Save(agentsOf(s, files.LeagueManager{Endpoint: p.manager, Version: version()}))
	if err == nil {
		p.agents = s.Agents
	}
	return err
}

// standingsOf is the table as its file has it.
func standingsOf(s league.Snapshot) files.Standings {
	doc := files.Standings{Version: s.Version, RoundsCompleted: s.RoundsCompleted}
	for _, row := range s.Standings {
		doc.Standings = append(doc.Standings, files.Standing(row))
	}
	return doc
}

// roundsOf is the rounds as their file has them.
func roundsOf(s league.Snapshot) (doc files.Rounds) {
	for _, r := range s.Rounds {
		round := files.Round{RoundID: r.Round, Status: "IN_PROGRESS", StartedAt: protocol.Stamp(r.StartedAt), Byes: r.Byes, Summary: r.Summary}
		if !r.CompletedAt.IsZero() {
			at := protocol.Stamp(r.CompletedAt)
			round.Status, round.CompletedAt = "COMPLETED", &at
		}
		for _, m := range r.Matches {
			match := files.RoundMatch{MatchID: m.ID, PlayerAID: m.A, PlayerBID: m.B, RefereeID: m.Referee, Status: m.Status, Proof: m.Proof}
			if m.Winner != "" {
				winner := m.Winner
				match.Winner = &winner
			}
			round.Matches = append(round.Matches, match)
		}
		doc.Rounds = append(doc.Rounds, round)
	}
	return doc
}

// agentsOf is those who registered as their file has them.
func agentsOf(s league.Snapshot, manager files.LeagueManager) files.Agents {
	doc := files.Agents{LeagueManager: manager}
	for _, a := range s.Agents {
		active := a.State != protocol.AgentShutdown
		if a.Role == protocol.RoleReferee {
			doc.Referees = append(doc.Referees, files.Referee{
				RefereeID: a.ID, DisplayName: a.Name, Endpoint: a.Endpoint, Version: a.Version, GameTypes: a.GameTypes,
				MaxConcurrentMatches: a.Capacity, Dialect: a.Dialect, Active: active,
			})
			continue
		}
		doc.Players = append(doc.Players, files.Player{
			PlayerID: a.ID, DisplayName: a.Name, Version: a.Version, PreferredLeagues: []string{s.LeagueID}, GameTypes: a.GameTypes,
			DefaultEndpoint: a.Endpoint, Dialect: a.Dialect, Active: active,
		})
	}
	return doc
}
