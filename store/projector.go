package store

import (
	"errors"
	"reflect"

	"agentleague/config"
	"agentleague/files"
	"agentleague/league"
	"agentleague/protocol"
)

// A Projector writes the files that show a league: table, rounds and agents. It is a [league.Projector], and is used by
// one goroutine at a time.
type Projector struct {
	root    *files.Root
	manager config.LeagueManager
	agents  []league.AgentView // as they were written
}

// NewProjector writes below a root, for the manager at an endpoint.
func NewProjector(root *files.Root, endpoint, version string) *Projector {
	return &Projector{root: root, manager: config.LeagueManager{Endpoint: endpoint, Version: version}}
}

// Project writes the table last: where that is as it has to be at the end of a league, the rest is too.
func (p *Projector) Project(s league.Snapshot) error {
	if err := errors.Join(p.root.Rounds(s.LeagueID).Save(Rounds(s)), p.projectAgents(s)); err != nil {
		return err
	}
	return p.root.Standings(s.LeagueID).Save(Standings(s))
}

// projectAgents writes who registered if that has changed: a crowd is long to write, and changes seldom.
func (p *Projector) projectAgents(s league.Snapshot) error {
	if p.agents != nil && reflect.DeepEqual(p.agents, s.Agents) {
		return nil
	}
	err := p.root.Agents(s.LeagueID).Save(Agents(s, p.manager))
	if err == nil {
		p.agents = s.Agents
	}
	return err
}

// Standings is the table as its file has it.
func Standings(s league.Snapshot) files.Standings {
	doc := files.Standings{Version: s.Version, RoundsCompleted: s.RoundsCompleted}
	for _, row := range s.Standings {
		doc.Standings = append(doc.Standings, files.Standing(row))
	}
	return doc
}

// Rounds is the rounds as their file has them.
func Rounds(s league.Snapshot) (doc files.Rounds) {
	for _, r := range s.Rounds {
		round := files.Round{
			RoundID: r.Round, Status: "IN_PROGRESS", StartedAt: protocol.Stamp(r.StartedAt), Byes: r.Byes, Summary: r.Summary,
		}
		if !r.CompletedAt.IsZero() {
			at := protocol.Stamp(r.CompletedAt)
			round.Status, round.CompletedAt = "COMPLETED", &at
		}
		for _, m := range r.Matches {
			match := files.RoundMatch{
				MatchID: m.ID, PlayerAID: m.A, PlayerBID: m.B, RefereeID: m.Referee, Status: m.Status, Proof: m.Proof,
			}
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

// Agents is those who registered as their file has them.
func Agents(s league.Snapshot, manager config.LeagueManager) config.Agents {
	doc := config.Agents{LeagueManager: manager}
	for _, a := range s.Agents {
		active := a.State != protocol.AgentShutdown
		if a.Role == protocol.RoleReferee {
			doc.Referees = append(doc.Referees, config.Referee{
				RefereeID: a.ID, DisplayName: a.Name, Endpoint: a.Endpoint, Version: a.Version, GameTypes: a.GameTypes,
				MaxConcurrentMatches: a.Capacity, Dialect: a.Dialect, Active: active,
			})
			continue
		}
		doc.Players = append(doc.Players, config.Player{
			PlayerID: a.ID, DisplayName: a.Name, Version: a.Version, PreferredLeagues: []string{s.LeagueID},
			GameTypes:       a.GameTypes,
			DefaultEndpoint: a.Endpoint, Dialect: a.Dialect, Active: active,
		})
	}
	return doc
}
