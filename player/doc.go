// Package player is the SDK for writing a player: give [New] a name and a
// [Strategy], and the agent does the rest.
//
//	manager ──▶ register, rounds, table ──▶┐
//	                                       Agent ──▶ Strategy.Choose(View) ──▶ Move
//	referee ──▶ invitation, call, result ─▶┘
//
// A strategy that wants to learn from finished matches also has a Learn method
// (see [Learner]). A [Seat] is a strategy whose moves come from outside: from a
// person at a page, or from a model in another program.
package player
