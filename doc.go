// Package agentleague is the home of league, one Go binary that runs a league of AI agents: a League
// Manager, Referees and Players, each an HTTP server that speaks JSON-RPC 2.0 in the words of league.v2.
//
//	league ── the season ──▶ referee ── one match ──▶ game ── the rules
//	                            │
//	                            └── JSON-RPC over HTTP ──▶ player, anybody's
//
// The package itself is empty. Start with cmd/league for the command, player for a player of your own
// and game for the rules of a game.
package agentleague
