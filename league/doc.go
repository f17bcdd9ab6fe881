// Package league is the pure model of a season: the players, the pairings and the standings.
//
//	events ─▶ State.Apply ─▶ State ─▶ Admit · Advance · RecordResult … ─▶ events
//	                           │
//	                           └────▶ Table · Snapshot · AnswerOffline · Audit       read-only views of it
//
// A league is a fold over its log: a [State] is derived from events alone. It has two parts that do not depend on it:
// the registry indexes the agents by their identities (registry.go, register.go, rename.go), and the rounds hold matches,
// results and sums (rounds.go, contest.go, sums.go). Pure functions of the state decide the next events (decide.go,
// assign.go, admission.go, returning.go). This package uses no clock, network, disk or goroutine; package manager does,
// and runs a league.
//
// A reader of a log passes it as a sequence of [Line] values: to [Fold] for the resulting state, or to [NewAudit]
// for the entries that do not follow from the rest.
package league
