// Package league is the pure model of a season: the players, the pairings and the standings.
//
//	events ─▶ State.Apply ─▶ State ─▶ Admit · Advance · RecordResult … ─▶ events      fold.go, decide.go, admission.go, returning.go
//	                           │
//	                           └────▶ Table · Snapshot · AnswerOffline · Audit       read-only views of it
//
// A league is a fold over its log: a [State] is made of events and of nothing else. It has two parts that do not depend
// on it: the registry indexes the agents by their identities (registry.go, register.go, rename.go), and the rounds hold
// matches, results and sums (rounds.go, contest.go, sums.go). Pure functions of the state decide the next events. There is no clock here, no network, no disk and no goroutine; package manager, below this
// one, has all of those and runs a league.
//
// A reader of a log passes it as a sequence of [Line] values: to [Fold] for the resulting state, or to [NewAudit]
// for the entries that do not follow from the rest.
package league
