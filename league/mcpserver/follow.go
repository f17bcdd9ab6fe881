package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league"
)

// Follow notifies subscribers of every result and every round. It returns when ctx or the league's manager ends.
// Before the first subscription it builds no notifications.
func (s *Show) Follow(ctx context.Context) {
	var seen, round int
	var state string
	s.m.Read(func(l *league.State) { seen, round = l.Recorded, l.Round })
	for {
		changed := s.m.Changed()
		var last moment
		s.m.Read(func(l *league.State) { last = momentOf(l) })
		if !s.subscribed() { // a later subscriber has read the resources after this point
			seen, round, state = last.Recorded, last.Round, last.State
		}
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

func (s *Show) tell(ctx context.Context, paths ...string) {
	for _, path := range paths {
		_ = s.m.Node.MCP().ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: scheme + path})
	}
}
