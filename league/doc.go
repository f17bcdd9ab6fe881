// Package league is the season, pure: who plays, against whom, and how it stands.
//
//	events ─▶ State.Apply ─▶ State ─▶ Admit · Advance · RecordResult … ─▶ events      fold.go, decide.go, admission.go
//	                           │
//	                           └────▶ Table · Snapshot · AnswerOffline · Audit       what can be told of it
//
// A league is a fold over its log: a [State] is made of events and of nothing else. What happens next is decided by
// functions of the state that return events, change nothing and ask nobody. There is no clock here, no network, no disk
// and nothing that runs by itself; package manager, below this one, has all of those and runs a league.
//
// Who reads a log gives it as a sequence of a [Line] each: to [Fold] for the state that it leads to, or to [NewAudit]
// for whatever in it does not follow from the rest.
package league
