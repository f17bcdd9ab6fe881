// Package chaos is only tests: it kills the program as its users run it, cuts its power, and looks at what is left.
//
//	manager, referees, players ── kill -9 ──▶ the same commands again ──▶ … ──▶ the league is over
//	                                                                            log = table = records, nothing twice
//	league run on a disk ── power cut ──▶ what was synced, and some of the rest ──▶ league run ──▶ …
//
// The faults that can be had in virtual time are in package league: its tests run whole leagues there by the thousand.
// mutations, a script, takes guarantees out of the product one at a time and wants a test to notice each.
package chaos
