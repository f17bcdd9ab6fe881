// Package registration admits agents to a league.
//
//	application ─▶ league.Admit (pure) ─▶ ask the agent that has the place · challenge the applicant ─▶ Admit again ─▶ admission
//
// A native agent proves with its key that it listens at its endpoint, and agrees on a token with the manager. A
// third-party agent gets a ticket. An applicant that claims to be an existing agent without proof is refused with a
// code, with which the admin can admit it. The admin also enlists, invites, renames and merges agents.
package registration
