package store

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"agentleague/config"
	"agentleague/league"
	"agentleague/protocol"
)

// A Projector writes the files that show a league: table, rounds and agents. It implements [league.Projector]. It
// is not safe for concurrent use.
type Projector struct {
	// ListsAgents adds the agents of the league to config/agents/agents_config.json.
	ListsAgents bool

	root *Root
	last *league.Snapshot // as it was written; nil: never, or something failed
}

// NewProjector returns a projector that writes into the data/ folder of root.
func NewProjector(root *Root) *Projector { return &Projector{root: root} }

// Project writes the documents that have changed; every file is a wait for the disk, and a document may be large.
// It writes the table last, so that a final table implies that the other documents are final too.
func (p *Projector) Project(s league.Snapshot) error {
	last := p.last
	p.last = nil // should anything fail, all is written again
	var err error
	if last == nil || last.RoundsAt != s.RoundsAt || !reflect.DeepEqual(last.Rounds, s.Rounds) {
		err = p.root.Rounds(s.LeagueID).Save(RoundsOf(s))
	}
	if last == nil || last.AgentsAt != s.AgentsAt || !reflect.DeepEqual(last.Agents, s.Agents) {
		err = errors.Join(err, p.root.Agents(s.LeagueID).Save(AgentsOf(s)))
		if p.ListsAgents {
			err = errors.Join(err, p.root.addAgents(AgentsOf(s)))
		}
	}
	if err == nil && (last == nil || !sameTable(*last, s)) {
		err = p.root.Standings(s.LeagueID).Save(StandingsOf(s))
	}
	if err == nil {
		p.last = &s
	}
	return err
}

// sameTable reports whether two states of a league have the same table in their files.
func sameTable(a, b league.Snapshot) bool {
	return a.TableAt == b.TableAt && a.Version == b.Version && a.RoundsCompleted == b.RoundsCompleted && slices.Equal(a.Standings, b.Standings)
}

// StandingsOf converts the table of a snapshot to the document standings.json.
func StandingsOf(s league.Snapshot) Standings {
	doc := Standings{Version: s.Version, RoundsCompleted: s.RoundsCompleted, LastUpdated: documentTime(s.TableAt)}
	if s.State == protocol.LeagueIsCancelled {
		doc.Status = "CANCELLED"
	}
	for _, row := range s.Standings {
		doc.Standings = append(doc.Standings, Standing(row))
	}
	return doc
}

// RoundsOf converts the rounds of a snapshot to the document rounds.json.
func RoundsOf(s league.Snapshot) (doc Rounds) {
	doc.LastUpdated = documentTime(s.RoundsAt)
	for _, r := range s.Rounds {
		round := Round{
			RoundID: r.Round, Status: "IN_PROGRESS", StartedAt: protocol.Stamp(r.StartedAt), Byes: r.Byes, Summary: r.Summary,
		}
		if !r.CompletedAt.IsZero() {
			at := protocol.Stamp(r.CompletedAt)
			round.Status, round.CompletedAt = "COMPLETED", &at
		}
		for _, m := range r.Matches {
			match := RoundMatch{
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

// documentTime formats the time of a document. For a zero time it returns "", which Save replaces by the current
// time.
func documentTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return protocol.Stamp(at)
}

// AgentsOf returns the registered agents in the form of their file.
func AgentsOf(s league.Snapshot) config.Agents {
	doc := config.Agents{
		LeagueManager: config.LeagueManager{Endpoint: s.Holder, Version: s.HolderVersion}, LastUpdated: documentTime(s.AgentsAt),
	}
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
