// Package chaos has only tests: it kills the program as its users run it, cuts its power, and inspects the files that
// remain.
//
//	manager, referees, players ── kill -9 ──▶ the same commands again ──▶ … ──▶ the league is over
//	                                                                            log = table = records, nothing twice
//	league run on a disk ── power cut ──▶ all synced data, some of the rest ──▶ league run ──▶ …
//
// Package league tests the faults that can be simulated in virtual time: it runs thousands of whole leagues. The script
// mutations removes guarantees from the product one at a time and expects a test to fail for each.
package chaos
