// Package player is the SDK for players: [New] creates an agent from a name and a
// [Strategy], and the agent handles the protocol.
//
//	manager ──▶ rounds, table, end ───────▶┐
//	                                       Agent ──▶ Strategy.Choose(View) ──▶ Move
//	referee ──▶ invitation, call, result ─▶┘
//
// The agent dispatches messages: a managerClient registers and queries, a refereeServer answers the referees.
//
// A strategy that learns from finished matches implements [Learner]. A [Seat] is
// a strategy whose moves come from outside: from a person at a page, or from a
// model in another program.
package player
