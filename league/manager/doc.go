// Package manager runs a season: it writes the log of a league and acts on it.
//
//	command ─▶ decide (pure) ─▶ events ─▶ Append ─▶ State.Apply (pure) ─▶ answer       ledger, writer
//	                                                      │
//	              conductor: which jobs are due? ◀────────┘
//	              start the league · announce · order matches · watch referees · open rounds
//
// One goroutine writes the log: it takes all queued commands, has package league decide their events, appends them as
// a group commit, applies them and answers the callers. The manager acts on and shows only logged events, so after a
// crash it continues from the log.
//
// A [Manager] is made of parts. Each has private state under a separate lock, which it never holds while it waits,
// and depends only on parts below it:
//
//	conductor    Orders       queries    router          due jobs; the admin's orders; queries
//	watcher      Registrar    broadcaster                silent referees; package registration; news
//	dispatcher   lobby        outbox     collector       matches to referees; the start; messages; records
//	results                                              reports of referees
//	caller       authenticator                           calls to agents; authentication
//	ledger       matchTasks   Keyring    jobs   core     the log and its state; progress of matches; package keyring
package manager
