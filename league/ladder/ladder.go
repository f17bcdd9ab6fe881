// Package ladder rates the players of a ladder by Glicko-2. Each round is a rating period. Pure.
//
//	Ratings ──results of a round──▶ Ratings ──▶ … ──▶ the next season
//
// Ratings are floats, whose last bits depend on the processor: a pairing is decided by rounded ones, which are in the log.
package ladder

import (
	"maps"
	"math"

	"agentleague/rating"
)

// Ratings are those of all players of a ladder, by id. They are immutable.
type Ratings map[string]player

// A player is the rating of a player. That of an anchor does not move.
type player struct {
	rating.Glicko
	games  int
	anchor bool
}

// anchorDeviation is the deviation of an anchor: its rating is certain.
const anchorDeviation = 30

// With returns the ratings with a further player. A value or deviation of 0 is unknown.
func (r Ratings) With(id string, value, deviation int, anchor bool) Ratings {
	p := player{Glicko: rating.NewGlicko(), anchor: anchor}
	if value != 0 {
		p.Rating = float64(value)
	}
	if deviation > 0 {
		p.Deviation = float64(deviation)
	}
	if anchor {
		p.Deviation = anchorDeviation
	}
	out := maps.Clone(r)
	if out == nil {
		out = Ratings{}
	}
	out[id] = p
	return out
}

// A Game is a result that counts, with the score of A.
type Game struct {
	A, B   string
	Points float64
}

// After returns the ratings after a round. A player without a game keeps its rating: rounds may be seconds apart.
func (r Ratings) After(round []Game) Ratings {
	if len(round) == 0 {
		return r
	}
	out := maps.Clone(r)
	for _, g := range round {
		out[g.A] = r[g.A].after(r[g.B], g.Points)
		out[g.B] = r[g.B].after(r[g.A], 1-g.Points)
	}
	return out
}

// after returns the player after a game.
func (p player) after(opponent player, points float64) player {
	p.games++
	if !p.anchor {
		p.Glicko = p.After([]rating.Game{{Opponent: opponent.Glicko, Points: points}})
	}
	return p
}

// Rounded returns the rating and deviation of each player.
func (r Ratings) Rounded() map[string][2]int {
	out := make(map[string][2]int, len(r))
	for id, p := range r {
		out[id] = [2]int{int(math.Round(p.Rating)), int(math.Round(p.Deviation))}
	}
	return out
}

// Games returns the number of rated games of a player.
func (r Ratings) Games(id string) int { return r[id].games }
