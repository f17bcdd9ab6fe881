// Package referee runs matches between two players over the network.
//
//	START_MATCH ─▶ invite ─▶ (ask ─▶ check ─▶ apply)* ─▶ outcome ─▶ record ─▶ GAME_OVER ─▶ report
//	                  └──────────┴── late, dead or illegal: GAME_ERROR, another try, forfeit
//
// It contains no rules of any game: package game decides which seats move, the view of each seat, the legal moves
// and the outcome. Of the league it knows only the address to report to.
package referee
