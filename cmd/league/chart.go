package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A chart draws each player's points over the rounds.
type chart struct {
	Width, Height         int
	Left, Right, Top, Low int // where the lines begin and end
	LabelX                int
	Ticks, Rounds         []mark
	Lines                 []curve // the first of the table last, on top of the others
}

// A mark is a line of the grid and its number.
type mark struct{ At, Number int }

// A curve is one player's line. Those beyond the first few have no colour of their own.
type curve struct {
	Colour       string
	Path         string
	Name, Label  string
	Points       int
	EndX, EndY   int
	LabelY       int
	WithoutLabel bool
}

const (
	chartColours = 8  // players with a colour and a label
	chartGap     = 16 // between two labels
	labelRunes   = 18
)

// newChart draws the rounds in which something was recorded. Without two
// points there is no line to draw.
func newChart(s *league.State, table []protocol.Standing) chart {
	c := chart{Width: 760, Height: 320, Left: 36, Right: 590, LabelX: 608, Top: 16, Low: 288}
	points, most := pointsByRound(s), 0
	for _, row := range table {
		most = max(most, slices.Max(append(points[row.PlayerID], 0)))
	}
	if s.Round == 0 || most == 0 {
		return chart{}
	}
	c.grid(s.Round, most)
	for i, row := range table {
		c.Lines = append(c.Lines, c.curve(i, row, points[row.PlayerID], most))
	}
	c.spread()
	slices.Reverse(c.Lines)
	return c
}

// pointsByRound adds up what each player had after each round, from 0 on.
func pointsByRound(s *league.State) map[string][]int {
	out := map[string][]int{}
	for _, id := range s.Players() {
		out[id] = []int{0}
	}
	for n := range s.Round {
		for _, row := range league.Standings(s.Players(), func(string) string { return "" }, playedIn(s, n+1), s.Created.Scoring, nil) {
			before := out[row.PlayerID]
			out[row.PlayerID] = append(before, before[n]+row.Points)
		}
	}
	return out
}

// playedIn lists the matches of a round that have a result.
func playedIn(s *league.State, round int) (out []league.Played) {
	for _, m := range s.InRound(round) {
		if m.Outcome != nil {
			out = append(out, league.Played{A: m.A, B: m.B, Result: m.Outcome.Result})
		}
	}
	return out
}

func (c *chart) grid(rounds, most int) {
	for n := 0; n <= most; n += step(most) {
		c.Ticks = append(c.Ticks, mark{c.y(n, most), n})
	}
	for n := 0; n <= rounds; n += step(rounds) {
		c.Rounds = append(c.Rounds, mark{c.x(n, rounds), n})
	}
}

// step is the distance of the marks on a scale: at most about six.
func step(most int) int {
	for unit := 1; ; unit *= 10 {
		for _, n := range []int{1, 2, 5} {
			if most <= 6*n*unit {
				return n * unit
			}
		}
	}
}

func (c *chart) x(round, rounds int) int { return c.Left + (c.Right-c.Left)*round/rounds }
func (c *chart) y(points, most int) int  { return c.Low - (c.Low-c.Top)*points/most }

func (c *chart) curve(rank int, row protocol.Standing, points []int, most int) curve {
	path := make([]string, len(points))
	out := curve{Colour: "rest", Name: row.DisplayName, Points: row.Points, WithoutLabel: rank >= chartColours}
	if rank < chartColours {
		out.Colour = fmt.Sprintf("c%d", rank+1)
	}
	for n, p := range points {
		out.EndX, out.EndY = c.x(n, len(points)-1), c.y(p, most)
		path[n] = fmt.Sprintf("%d,%d", out.EndX, out.EndY)
	}
	out.Path, out.LabelY, out.Label = strings.Join(path, " "), out.EndY, short(row.DisplayName)
	return out
}

// short is a name that fits beside the chart.
func short(name string) string {
	runes := []rune(name)
	if len(runes) <= labelRunes {
		return name
	}
	return string(runes[:labelRunes-1]) + "…"
}

// Legend lists the curves that have a colour, the first of the table first.
func (c chart) Legend() (out []curve) {
	for _, l := range slices.Backward(c.Lines) {
		if !l.WithoutLabel {
			out = append(out, l)
		}
	}
	return out
}

// spread moves labels apart that would lie on each other, and back up from the lower edge.
func (c *chart) spread() {
	var shown []*curve
	for i := range c.Lines {
		if !c.Lines[i].WithoutLabel {
			shown = append(shown, &c.Lines[i])
		}
	}
	slices.SortStableFunc(shown, func(a, b *curve) int { return cmp.Compare(a.EndY, b.EndY) })
	for i := 1; i < len(shown); i++ {
		shown[i].LabelY = max(shown[i].LabelY, shown[i-1].LabelY+chartGap)
	}
	low := c.Low
	for _, l := range slices.Backward(shown) {
		l.LabelY = min(l.LabelY, low)
		low = l.LabelY - chartGap
	}
}
