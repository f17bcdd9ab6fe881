package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A Panel is one diagram: a line over values that double or grow tenfold.
type Panel struct {
	Title  string  // what is shown, with its unit
	X      string  // what the horizontal axis counts
	Points []Point // from left to right; X above 0
}

// A Point is a median, and the range of what it is the median of.
type Point struct {
	X, Y     float64
	Low, Top float64
}

// The size of a panel and of the space around what it draws, in pixels.
const (
	width, height                = 400, 300
	left, right, top, underneath = 58, 18, 40, 52
)

// style follows the reader's page: dark where that is dark.
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; font-size: 13px }
.grid { stroke: #ddd; stroke-width: 1 }
.line { fill: none; stroke: #0a62c4; stroke-width: 2 }
.range { stroke: #0a62c4; stroke-width: 1.5; stroke-opacity: .45 }
.dot { fill: #0a62c4 }
@media (prefers-color-scheme: dark) {
text { fill: #ccc }
.grid { stroke: #444 }
.line, .range { stroke: #6cb2ff }
.dot { fill: #6cb2ff }
}
</style>
`

// Draw returns an SVG document with panels side by side. About says the same in words, for those who cannot see it.
func Draw(about string, panels ...Panel) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img">`+"\n",
		width*len(panels), height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", html.EscapeString(about), style)
	for n, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`+"\n", n*width)
		p.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// draw writes one panel: grid, points with their ranges, and the line through them.
func (p Panel) draw(b *strings.Builder) {
	x, y, ticks := p.scales()
	text(b, "title", left-40, 20, "start", p.Title)
	for _, t := range ticks {
		line(b, "grid", left, y(t), width-right, y(t))
		text(b, "", left-6, y(t)+4, "end", Number(t))
	}
	for _, at := range p.Points {
		text(b, "", x(at.X), height-underneath+18, "middle", Number(at.X))
	}
	text(b, "", (left+width-right)/2, height-12, "middle", p.X)
	var path []string
	for _, at := range p.Points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x(at.X), y(at.Y)))
		line(b, "range", x(at.X), y(at.Low), x(at.X), y(at.Top))
	}
	fmt.Fprintf(b, `<polyline class="line" points="%s"/>`+"\n", strings.Join(path, " "))
	for _, at := range p.Points {
		fmt.Fprintf(b, `<circle class="dot" cx="%.1f" cy="%.1f" r="3.5"><title>%s: %s</title></circle>`+"\n", x(at.X), y(at.Y),
			Number(at.X), Number(at.Y))
	}
}

// scales returns where values are drawn, and the values that have a line across.
func (p Panel) scales() (x, y func(float64) float64, ticks []float64) {
	low, high, most := math.Inf(1), 0., 0.
	for _, at := range p.Points {
		low, high, most = min(low, at.X), max(high, at.X), max(most, at.Y, at.Top)
	}
	ticks = Ticks(most)
	span, last := math.Log(high/low), ticks[len(ticks)-1]
	x = func(v float64) float64 {
		if span <= 0 {
			return (left + width - right) / 2
		}
		return left + 12 + (width-left-right-24)*math.Log(v/low)/span
	}
	y = func(v float64) float64 { return height - underneath - (height-top-underneath)*v/last }
	return x, y, ticks
}

// Ticks are round values from 0 to the first that is not below most: four to seven of them.
func Ticks(most float64) []float64 {
	if most <= 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return []float64{0, 1}
	}
	step := math.Pow(10, math.Floor(math.Log10(most))) / 10
	for _, times := range []float64{2, 2.5, 2, 2, 2.5} { // 0.2, 0.5, 1, 2, 5 of the power of ten
		if step *= times; most/step <= 6 {
			break
		}
	}
	ticks := []float64{0}
	for n := 1.; ticks[len(ticks)-1] < most*(1-1e-9); n++ {
		ticks = append(ticks, n*step)
	}
	return ticks
}

// Number writes a value with three digits that count, and thousands apart.
func Number(v float64) string {
	if v < 100 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func line(b *strings.Builder, class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

// text writes words at a point, which is their start, middle or end.
func text(b *strings.Builder, class string, x, y float64, anchor, words string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(b, `<text%s x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor, html.EscapeString(words))
}
