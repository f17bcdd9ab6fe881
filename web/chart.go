package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A Chart draws points over the rounds, for the first players of the table.
type Chart struct {
	At    []int   `json:"rounds"` // for which there are points, from 0 on; of a long league not all
	Lines []Curve `json:"lines"`  // in the order of the table
	More  int     `json:"more"`   // players that it has no room for

	Width, Height         int    `json:"-"`
	Left, Right, Top, Low int    `json:"-"` // where the lines begin and end
	LabelX                int    `json:"-"`
	Ticks, Rounds         []Mark `json:"-"`
}

// A Mark is a line of the grid and its number.
type Mark struct{ At, Number int }

// A Curve is one player's line. Those beyond the first few have no colour of their own.
type Curve struct {
	PlayerID string `json:"player_id"`
	Name     string `json:"display_name"`
	Points   []int  `json:"points"` // after each round of Chart.At

	Colour       string `json:"-"`
	Path         string `json:"-"`
	Label        string `json:"-"`
	EndX, EndY   int    `json:"-"`
	LabelY       int    `json:"-"`
	WithoutLabel bool   `json:"-"`
}

// Total is what the player has.
func (c Curve) Total() int { return c.Points[len(c.Points)-1] }

const (
	chartColours = 8  // players with a colour and a label
	chartLines   = 24 // players with a line
	chartSteps   = 60 // rounds that are marked on a line, about
	chartGap     = 16 // between two labels
	labelRunes   = 15
)

// NewChart draws the rounds in which something was recorded. Without two points there is no line to draw.
func NewChart(s *league.State, table []protocol.Standing) Chart {
	c := Chart{Width: 760, Height: 320, Left: 36, Right: 560, LabelX: 578, Top: 16, Low: 288, At: steps(s.Round)}
	shown := table[:min(len(table), chartLines)]
	c.More = len(table) - len(shown)
	most := 0
	for _, row := range shown {
		line := Curve{PlayerID: row.PlayerID, Name: said(row.DisplayName, nameMost), Points: pointsAt(s, row.PlayerID, c.At)}
		most = max(most, slices.Max(line.Points))
		c.Lines = append(c.Lines, line)
	}
	if s.Round == 0 || most == 0 {
		return Chart{At: []int{}, Lines: []Curve{}}
	}
	c.grid(s.Round, most)
	for i := range c.Lines {
		c.draw(&c.Lines[i], i, most)
	}
	c.spread()
	return c
}

// steps lists the rounds for which a chart has points: all of them, or of many every so many, and the newest.
func steps(rounds int) (at []int) {
	for n, by := 0, 1+rounds/chartSteps; n < rounds; n += by {
		at = append(at, n)
	}
	return append(at, rounds)
}

// pointsAt adds up what a player had after each of some rounds.
func pointsAt(s *league.State, id string, at []int) []int {
	out, sum, matches := make([]int, len(at)), 0, s.MatchesOf(id)
	for i, round := range at {
		for len(matches) > 0 && matches[0].Round <= round {
			sum += matches[0].Points(id, s.Created.Scoring)
			matches = matches[1:]
		}
		out[i] = sum
	}
	return out
}

func (c *Chart) grid(rounds, most int) {
	for n := 0; n <= most; n += step(most) {
		c.Ticks = append(c.Ticks, Mark{c.y(n, most), n})
	}
	for n := 0; n <= rounds; n += step(rounds) {
		c.Rounds = append(c.Rounds, Mark{c.x(n), n})
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

func (c *Chart) x(round int) int        { return c.Left + (c.Right-c.Left)*round/c.At[len(c.At)-1] }
func (c *Chart) y(points, most int) int { return c.Low - (c.Low-c.Top)*points/most }

func (c *Chart) draw(line *Curve, rank, most int) {
	path := make([]string, len(line.Points))
	line.Colour, line.WithoutLabel = "rest", rank >= chartColours
	if !line.WithoutLabel {
		line.Colour = fmt.Sprintf("c%d", rank+1)
	}
	for n, p := range line.Points {
		line.EndX, line.EndY = c.x(c.At[n]), c.y(p, most)
		path[n] = fmt.Sprintf("%d,%d", line.EndX, line.EndY)
	}
	line.Path, line.LabelY, line.Label = strings.Join(path, " "), line.EndY, short(line.Name)
}

// short is a name that fits beside the chart.
func short(name string) string {
	runes := []rune(name)
	if len(runes) <= labelRunes {
		return name
	}
	return string(runes[:labelRunes-1]) + "…"
}

// Layers lists the lines as they are drawn: the first of the table last, on top of the others.
func (c Chart) Layers() []Curve { return slices.Collect(reversed(c.Lines)) }

func reversed[T any](list []T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for _, v := range slices.Backward(list) {
			if !yield(v) {
				return
			}
		}
	}
}

// Legend lists the lines that have a colour.
func (c Chart) Legend() []Curve { return c.Lines[:min(len(c.Lines), chartColours)] }

// spread moves labels apart that would lie on each other, and back up from the lower edge.
func (c *Chart) spread() {
	var shown []*Curve
	for i := range c.Legend() {
		shown = append(shown, &c.Lines[i])
	}
	slices.SortStableFunc(shown, func(a, b *Curve) int { return cmp.Compare(a.EndY, b.EndY) })
	for i := 1; i < len(shown); i++ {
		shown[i].LabelY = max(shown[i].LabelY, shown[i-1].LabelY+chartGap)
	}
	low := c.Low
	for _, l := range slices.Backward(shown) {
		l.LabelY = min(l.LabelY, low)
		low = l.LabelY - chartGap
	}
}
