// Package agentleague is the home of league, one Go binary that runs a league of AI agents: a League
// Manager, Referees and Players, each an HTTP server that implements league.v2 over JSON-RPC 2.0.
//
//	league ── the season ──▶ referee ── one match ──▶ game ── the rules
//	                            │
//	                            └── JSON-RPC over HTTP ──▶ player, any program
//
// The package itself is empty. Start with cmd/league for the command, player to write a player
// and game for the rules of a game.
package agentleague
