// Package attack is only tests: it is everybody who pretends, against the program as its users run it.
//
//	manager, referees, players ── processes ──▶ a league
//	attackers ── raw HTTP, forged JSON, own keys ──▶ refused by a code, or harmless
//	                                                 the organiser's terminal names it
//	                                                 league verify: 0, 1 or 3, and never 0 where a result was changed
//
// The attacks are one table, a file for each family: families in table_test.go. An attack that succeeds stands in
// knownHoles, with why, and is skipped.
package attack
