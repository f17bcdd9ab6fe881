// Package manager runs a season: it writes the log of a league and does what follows from it.
//
//	command ─▶ decide (pure) ─▶ events ─▶ Append ─▶ State.Apply (pure) ─▶ answer       ledger, writer
//	                                                      │
//	              conductor: what is due now? ◀───────────┘
//	              start the league · announce · order matches · watch referees · open rounds
//
// One goroutine writes the log: it takes all queued commands, has package league decide their events, appends them at
// once, applies them and answers everyone. Nothing is acted on or shown that is not in the log, so a manager that is
// killed goes on from the log where it stood.
//
// A [Manager] is made of parts. Each owns what it remembers, with a lock of its own that it holds while nothing is
// waited for, and knows only parts below it:
//
//	conductor    organizer    queries    router          what is due; what the admin orders; what others ask
//	watcher      registrar    broadcaster                referees that fall silent; who joins; what everybody is told
//	dispatcher   lobby        outbox     collector       matches to referees; the start; messages; records
//	results                                              what referees report
//	gate         caller                                  who speaks; how agents are called
//	ledger       matchTasks   keyring    jobs   core     the log and its state; what was asked of whom; secrets
package manager
