// Package rating estimates the strength of players from their results against each other.
//
//	Score  ─▶ Elo, LOS, SPRT     two players: how far apart, which is stronger, may one stop?
//	Field  ─▶ BradleyTerry       a league: all players on one scale, mean 1500
//	Glicko ─▶ After(league)      many leagues: a rating that moves from one to the next
//
// Ratings are on Elo's scale: a player that is 400 ahead is expected to score ten
// points for each point of its opponent. All intervals are 95 % intervals if the
// number of games was fixed before; docs/guide/ratings.md has the formulas and
// their assumptions.
//
// All functions depend on their arguments only and are safe for concurrent use.
package rating
