package view

import (
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// Curves holds the points of players after the rounds of a league, for a chart.
type Curves struct {
	At    []int // the rounds for which there are points, from 0 to the newest; of a long league not all
	Lines []Curve
	Left  int // players that have no curve
}

// A Curve holds the points of one player after each round of Curves.At.
type Curve struct {
	PlayerID, Name string
	Points         []int
}

// curveSteps is the approximate number of rounds for which a chart of a long league has points.
const curveSteps = 60

// CurvesOf returns the curves of a table's players: of all, if there are at most most, or else of the first.
func CurvesOf(s *league.State, t *league.Table, most int) Curves {
	return curvesOf(s, t, first(t, most))
}

// curvesOf returns the curves of the first rows of a table.
func curvesOf(s *league.State, t *league.Table, shown []protocol.Standing) Curves {
	c := Curves{Left: len(t.Rows) - len(shown)}
	for n, by := 0, 1+s.Round/curveSteps; n < s.Round; n += by {
		c.At = append(c.At, n)
	}
	c.At = append(c.At, s.Round)
	for _, row := range shown {
		c.Lines = append(c.Lines, Curve{row.PlayerID, Clean(row.DisplayName, NameMost), pointsAt(s, row.PlayerID, c.At)})
	}
	return c
}

// Most returns the most points of any player.
func (c Curves) Most() (most int) {
	for _, line := range c.Lines {
		most = max(most, slices.Max(line.Points))
	}
	return most
}

// pointsAt returns the points of a player after each of the rounds at, which are in ascending order.
func pointsAt(s *league.State, id string, at []int) []int {
	out, sum, matches := make([]int, len(at)), 0, s.MatchesOf(id)
	for i, round := range at {
		for len(matches) > 0 && matches[0].Round <= round {
			sum += matches[0].Points(id, s.Created.Scoring)
			matches = matches[1:]
		}
		out[i] = sum + s.CreditOf(id, round)
	}
	return out
}
