// Package attack contains only tests: attackers against the program as its users run it.
//
//	manager, referees, players ── processes ──▶ a league
//	attackers ── raw HTTP, forged JSON, own keys ──▶ refused by a code, or harmless
//	                                                 the organizer's terminal names it
//	                                                 league verify: 0, 1 or 3, and never 0 where a result was changed
//
// The attacks are one table, with a file for each family: families in table_test.go. An attack that succeeds is listed in
// knownHoles, with the reason, and is skipped.
package attack
