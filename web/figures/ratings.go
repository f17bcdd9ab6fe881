package figures

import (
	"fmt"
	"strings"

	"agentleague/protocol"
)

// A RatingCurve is the curve of one player's rating over the rounds, with its 95 % interval as a band.
type RatingCurve struct {
	Width, Height    int
	Left, Right, Low int
	Line, Band       string // points of an SVG; Band is empty without intervals
	EndX, EndY       int
	Ticks, Rounds    []Mark
	Words            string // for a screen reader
}

// A RatedRound is a player's rating after a round.
type RatedRound struct {
	Round  int
	Rating protocol.Rating
}

// NewRatingCurve draws the ratings of a player, in ascending rounds. It returns nil for fewer than two.
func NewRatingCurve(all []RatedRound) *RatingCurve {
	if len(all) < 2 {
		return nil
	}
	c := &RatingCurve{Width: 760, Height: 220, Left: 44, Right: 740, Low: 190}
	low, high := all[0].Rating.Rating, all[0].Rating.Rating
	for _, r := range all {
		low, high = min(low, r.Rating.Rating), max(high, r.Rating.Rating)
	}
	low, high = (low-intervalShown)/100*100, (high+intervalShown+99)/100*100
	first, last := all[0], all[len(all)-1]
	x := func(round int) int { return c.Left + (c.Right-c.Left)*(round-first.Round)/(last.Round-first.Round) }
	y := func(rating int) int { return c.Low - (c.Low-12)*(min(max(rating, low), high)-low)/(high-low) }
	var line, above, below []string
	for i, r := range all {
		at := x(r.Round)
		line = append(line, fmt.Sprintf("%d,%d", at, y(r.Rating.Rating)))
		above = append(above, fmt.Sprintf("%d,%d", at, y(bound(r.Rating.High, r.Rating.Rating))))
		below = append([]string{fmt.Sprintf("%d,%d", at, y(bound(r.Rating.Low, r.Rating.Rating)))}, below...)
		if i%((len(all)+11)/12) == 0 {
			c.Rounds = append(c.Rounds, Mark{at, r.Round})
		}
	}
	for n, by := low, 100*step((high-low)/100); n <= high; n += by {
		c.Ticks = append(c.Ticks, Mark{y(n), n})
	}
	c.Line, c.EndX, c.EndY = strings.Join(line, " "), x(last.Round), y(last.Rating.Rating)
	c.Band = strings.Join(append(above, below...), " ")
	c.Words = fmt.Sprintf("Rating from %d after round %d to %s after round %d", first.Rating.Rating, first.Round, last.Rating, last.Round)
	return c
}

// intervalShown is the part of an interval that is shown beyond the ratings: after the first rounds it is very wide.
const intervalShown = 200

// bound returns the end of an interval, or the rating if it has none.
func bound(end *int, rating int) int {
	if end == nil {
		return rating
	}
	return *end
}
