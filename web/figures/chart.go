package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentleague/league/view"
)

// A Chart is a line chart of the scores over the rounds: of all players, or of the top players of a long table.
type Chart struct {
	At    []int   `json:"rounds"` // the rounds with points, from 0 on; of a long league not all
	Lines []Curve `json:"lines"`  // in the order of the table
	More  int     `json:"more"`   // the number of players without a line

	Width, Height         int    `json:"-"`
	Left, Right, Top, Low int    `json:"-"` // the edges of the plot
	LabelX                int    `json:"-"`
	Ticks, Rounds         []Mark `json:"-"`
}

// A Mark is a line of the grid and its number.
type Mark struct{ At, Number int }

// A Curve is one player's line.
type Curve struct {
	PlayerID string `json:"player_id"`
	Name     string `json:"display_name"`
	Points   []int  `json:"points"` // after each round of Chart.At

	Colour     string `json:"-"`
	Path       string `json:"-"`
	Label      string `json:"-"` // "": none
	EndX, EndY int    `json:"-"`
	LabelY     int    `json:"-"`
}

// Total returns the player's points after the last round.
func (c Curve) Total() int { return c.Points[len(c.Points)-1] }

// Named is the number of lines with a colour and a label; the others are thin and grey.
const Named = 5

const (
	chartGap   = 16 // between two labels
	labelRunes = 15
)

// NewChart draws the curves of players. With fewer than two rounds there is no line to draw.
func NewChart(curves view.Curves) Chart {
	c := Chart{Width: 760, Height: 320, Left: 36, Right: 560, LabelX: 578, Top: 16, Low: 288, More: curves.Left}
	return c.of(curves)
}

// NewWallChart draws the curves in the proportions of a projector.
func NewWallChart(curves view.Curves) Chart {
	c := Chart{Width: 960, Height: 478, Left: 36, Right: 720, LabelX: 738, Top: 12, Low: 450, More: curves.Left}
	return c.of(curves)
}

// of draws the lines of curves.
func (c Chart) of(curves view.Curves) Chart {
	rounds, most := curves.At[len(curves.At)-1], curves.Most()
	if rounds == 0 || most == 0 {
		return Chart{At: []int{}, Lines: []Curve{}}
	}
	c.At = curves.At
	for _, line := range curves.Lines {
		c.Lines = append(c.Lines, Curve{PlayerID: line.PlayerID, Name: line.Name, Points: line.Points})
	}
	c.grid(rounds, most)
	for i := range c.Lines {
		c.draw(&c.Lines[i], i, most)
	}
	c.spread()
	return c
}

// grid adds the lines of the background: one for each step of points up to most, one for each step of rounds.
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

// draw computes the path of one player's curve. The leaders have a colour and a label.
func (c *Chart) draw(line *Curve, rank, most int) {
	path := make([]string, len(line.Points))
	for n, p := range line.Points {
		line.EndX, line.EndY = c.x(c.At[n]), c.y(p, most)
		path[n] = fmt.Sprintf("%d,%d", line.EndX, line.EndY)
	}
	line.Path, line.LabelY, line.Colour = strings.Join(path, " "), line.EndY, "rest"
	if rank < Named {
		line.Colour, line.Label = fmt.Sprintf("c%d", rank+1), short(line.Name)
	}
}

// short returns a name that fits beside the chart.
func short(name string) string {
	runes := []rune(name)
	if len(runes) <= labelRunes {
		return name
	}
	return string(runes[:labelRunes-1]) + "…"
}

// Layers lists the lines in drawing order: the table's first row is last, on top of the others.
func (c Chart) Layers() []Curve {
	out := slices.Clone(c.Lines)
	slices.Reverse(out)
	return out
}

// Legend lists the lines that have a label.
func (c Chart) Legend() []Curve { return c.Lines[:min(len(c.Lines), Named)] }

// Grey returns the number of lines without a label.
func (c Chart) Grey() int { return len(c.Lines) - len(c.Legend()) }

// spread moves overlapping labels apart, and back up from the lower edge.
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
