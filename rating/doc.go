// Package rating says how strong players are, from what they scored against each other.
//
//	Score  ─▶ Elo, LOS, SPRT     two players: how far apart, who is stronger, may one stop?
//	Field  ─▶ BradleyTerry       a league: everybody on one scale, mean 1500
//	Glicko ─▶ After(league)      many leagues: a rating that moves from one to the next
//
// Ratings are on Elo's scale: a player that is 400 ahead is expected to score ten
// points for each one of its opponent. All intervals hold the true value 95 times
// in 100 if the number of games was fixed before; docs/guide/ratings.md has the
// formulas and what they assume.
//
// Everything here is a pure function of its arguments.
package rating
