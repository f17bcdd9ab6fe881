// Package mcpserver shows a league to MCP clients, and lets them follow it.
//
//	resources    league://standings, league://schedule, league://rounds/{n},
//	             league://players/{id}, league://matches/{id}, …/transcript
//	prompts      play_match, explain_last_match, summarise_round, commentate
//	tools        watch_league
//	completion   of rounds, players and matches
//
// The tools that league.v2 has methods for are the node's own. Nothing here
// tells a token, an address, or a choice before its match is over.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// Options are the parts that have defaults.
type Options struct {
	// Record returns the record of a finished match as it is kept, or an error
	// that wraps [ErrNoRecord]. None: there are no transcripts.
	Record func(match string) ([]byte, error)
}

// ErrNoRecord says that a match has no record yet.
var ErrNoRecord = errors.New("there is no record of this match yet")

// A Show is a league as MCP clients see it.
type Show struct {
	m *manager.Manager
	o Options
}

// Open shows a league on its manager's node. [Show.Follow] then tells subscribers of what changes.
func Open(m *manager.Manager, o Options) *Show {
	s := &Show{m: m, o: o}
	s.addResources()
	s.addPrompts()
	s.addTools()
	m.Node.Complete(s.complete)
	m.Node.Subscribable(s.exists)
	return s
}

// Follow tells subscribers of every result and every round until ctx or the
// league's manager ends.
func (s *Show) Follow(ctx context.Context) {
	var seen, round int
	var state string
	s.m.Read(func(l *league.State) { seen, round = l.Recorded, l.Round })
	for {
		changed := s.m.Changed()
		fresh, now := s.since(seen)
		for _, match := range fresh {
			s.tell(ctx, "standings", "schedule", fmt.Sprintf("rounds/%d", match.Round), "players/"+match.A, "players/"+match.B,
				"matches/"+match.ID, "matches/"+match.ID+"/transcript")
		}
		if now.Round != round || now.State != state {
			s.tell(ctx, "standings", "schedule", fmt.Sprintf("rounds/%d", now.Round))
		}
		seen, round, state = seen+len(fresh), now.Round, now.State
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-s.m.Ended():
			return
		}
	}
}

// A moment is how far a league is.
type moment struct {
	State           string
	Round, Rounds   int
	Recorded, Total int
}

// since returns the matches whose results came after the first n, and how far the league is.
func (s *Show) since(n int) (fresh []result, now moment) {
	s.m.Read(func(l *league.State) {
		for _, m := range l.ResultsSince(n) {
			fresh = append(fresh, resultOf(l, m))
		}
		now = momentOf(l)
	})
	return fresh, now
}

func momentOf(l *league.State) moment {
	now := moment{State: l.Phase(l.Ordered), Round: l.Round, Rounds: l.Schedule.Rounds(), Recorded: l.Recorded, Total: l.Schedule.Matches()}
	if l.Paused && !l.Completed() {
		now.State = "PAUSED"
	}
	return now
}

// tell tells those who subscribed to them that resources have changed.
func (s *Show) tell(ctx context.Context, paths ...string) {
	for _, path := range paths {
		_ = s.m.Node.MCP().ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: scheme + path})
	}
}

// text writes what is shown. Tokens have no place in it, whoever put them there.
func text(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return protocol.RedactIn(string(b)), err
}

// redacted is a document as it is shown.
func redacted(doc []byte) string { return protocol.RedactIn(string(doc)) }
