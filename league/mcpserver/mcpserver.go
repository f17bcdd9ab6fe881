// Package mcpserver shows a league to MCP clients, and lets them follow it.
//
//	resources    league://standings, league://schedule, league://rounds/{n},
//	             league://players/{id}, league://matches/{id}, …/transcript
//	prompts      play_match, explain_last_match, summarise_round, commentate
//	tools        watch_league
//	completion   of rounds, players and matches
//
// The node itself offers the tools that league.v2 has methods for. This package never
// reveals a token, an address, or a choice before its match is over.
package mcpserver

import (
	"agentleague/league/manager"
)

// Open shows a league on its manager's node. [Show.Follow] then notifies subscribers of changes.
func Open(m *manager.Manager, o Options) *Show {
	s := &Show{m: m, o: o}
	s.addResources()
	s.addPrompts()
	s.addTools()
	m.Node.Complete(s.complete)
	s.subscribed = m.Node.Subscribable(s.exists)
	return s
}
