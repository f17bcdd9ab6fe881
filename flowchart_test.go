package agentleague_test

import (
	"fmt"
	"image"
	"math"
	"regexp"
	"strings"
)

var (
	flowNode = regexp.MustCompile(`^(\w+)\["(.+)"\]$`)
	flowEdge = regexp.MustCompile(`^(\w+) -- "(.+)" --> (\w+)$`)
)

// A flow is a box of a flowchart.
type flow struct {
	lines      []string
	level      int
	x, y, w, h float64 // its middle, and half its size
}

// drawFlowchart draws a Mermaid flowchart whose boxes are declared first. Each box is below the boxes with an arrow to
// it.
func drawFlowchart(mermaid string) (image.Image, error) {
	all := map[string]*flow{}
	var order []string
	var edges [][]string
	for _, line := range strings.Split(strings.TrimSpace(mermaid), "\n")[1:] {
		line = strings.TrimSpace(line)
		if m := flowNode.FindStringSubmatch(line); m != nil {
			all[m[1]], order = &flow{lines: strings.Split(m[2], "<br>")}, append(order, m[1])
		} else if m := flowEdge.FindStringSubmatch(line); m != nil && all[m[1]] != nil && all[m[3]] != nil {
			edges = append(edges, m)
			if from, to := all[m[1]], all[m[3]]; to.level == 0 && m[3] != order[0] {
				to.level = from.level + 1
			}
		} else {
			return nil, fmt.Errorf("cannot draw %q", line)
		}
	}
	c := newCanvas(place(all, order))
	for _, m := range edges {
		c.connect(all[m[1]], all[m[3]], m[2])
	}
	for _, id := range order {
		b := all[id]
		c.box(shade, b.x-b.w, b.y-b.h, b.x+b.w, b.y+b.h, b.lines...)
	}
	return c.img, nil
}

// between is how far boxes beside each other are apart, in points.
const between = 320.0

// place gives every box its place, level by level, and returns the size of it all.
func place(all map[string]*flow, order []string) (width, height float64) {
	measure, beside := newCanvas(1, 1), map[int]float64{}
	for _, id := range order {
		b := all[id]
		for _, line := range b.lines {
			b.w = max(b.w, measure.width(line)/2+12)
		}
		b.h = leading*float64(len(b.lines))/2 + 8
		b.x = beside[b.level] + b.w
		beside[b.level] += 2*b.w + between
		width = max(width, beside[b.level]-between+40)
	}
	for _, id := range order {
		b := all[id]
		b.x += (width - beside[b.level] + between) / 2
		b.y = 50 + 140*float64(b.level)
		height = max(height, b.y+b.h+20)
	}
	return width, height
}

// connect draws an arrow from one box to another. Of two arrows between the same boxes each keeps to its right.
func (c *canvas) connect(from, to *flow, label string) {
	long := math.Hypot(to.x-from.x, to.y-from.y)
	ux, uy := (to.x-from.x)/long, (to.y-from.y)/long
	nx, ny := -uy, ux
	x1, y1 := border(from, ux, uy, 12*nx, 12*ny)
	x2, y2 := border(to, -ux, -uy, 12*nx, 12*ny)
	c.line(ink, x1, y1, x2, y2)
	c.head(x1, y1, x2, y2)
	slant := math.Abs(ux/max(math.Abs(uy), 0.2)) * leading / 2
	at := 0.5
	if uy < 0 { // so that it is not level with the label of another arrow
		at = 0.3
	}
	c.label(x1+(x2-x1)*at+math.Copysign(c.width(label)/2+slant+6, nx), y1+(y2-y1)*at, label)
}

// border is where a ray leaves a box that begins beside its middle.
func border(b *flow, ux, uy, dx, dy float64) (x, y float64) {
	reach := min((b.w-math.Copysign(dx, dx*ux))/max(math.Abs(ux), 1e-9), (b.h-math.Copysign(dy, dy*uy))/max(math.Abs(uy), 1e-9))
	return b.x + dx + ux*reach, b.y + dy + uy*reach
}
