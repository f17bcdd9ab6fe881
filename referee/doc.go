// Package referee runs one match between players over the wire.
//
//	START_MATCH ─▶ invite ─▶ (ask ─▶ check ─▶ apply)* ─▶ outcome ─▶ record ─▶ GAME_OVER ─▶ report
//	                  └──────────┴── late, dead or illegal: GAME_ERROR, another try, forfeit
//
// It knows nothing of the game: the rules say who is to move, what a seat may
// see, what is legal and how it ends. It knows nothing of the league but the
// address to report to.
package referee
