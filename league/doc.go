// Package league is the season: who plays, against whom, when, and how it stands.
//
//	command ─▶ decide (pure) ─▶ events ─▶ Append ─▶ State.Apply (pure) ─▶ answer
//	                                                      │
//	              conductor: what is due now? ◀───────────┘
//	              announce · start matches · watch referees · open rounds
//
// A league is a fold over its log. One goroutine writes it: it takes all
// queued commands, decides their events, appends them at once, applies them
// and answers everyone. Nothing is acted on or shown that is not in the log,
// so a manager that is killed goes on from the log where it stood.
package league
