package agentleague_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A canvas is a white picture. Its coordinates are points, of which one is two pixels.
type canvas struct {
	img           *image.RGBA
	regular, bold font.Face
}

const (
	pixels   = 2.0  // in a point
	textSize = 12.0 // in points
	leading  = 16.0 // from one line of text to the next
)

var (
	ink   = color.RGBA{0x22, 0x2b, 0x38, 0xff}
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	shade = color.RGBA{0xe8, 0xee, 0xf7, 0xff}
	faint = color.RGBA{0xb8, 0xc2, 0xd0, 0xff}
	noted = color.RGBA{0xff, 0xf6, 0xd6, 0xff}
)

func newCanvas(width, height float64) *canvas {
	c := &canvas{img: image.NewRGBA(image.Rect(0, 0, int(width*pixels), int(height*pixels)))}
	draw.Draw(c.img, c.img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	c.regular, c.bold = face(goregular.TTF), face(gobold.TTF)
	return c
}

// face reads a font that is part of a package.
func face(ttf []byte) font.Face {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(err)
	}
	out, err := opentype.NewFace(f, &opentype.FaceOptions{Size: textSize, DPI: 72 * pixels})
	if err != nil {
		panic(err)
	}
	return out
}

// width is how wide a line of text is.
func (c *canvas) width(line string) float64 {
	return float64(font.MeasureString(c.regular, line)) / 64 / pixels
}

// text writes lines, centred at x, the first with its middle at y. A line in <b> is bold.
func (c *canvas) text(x, y float64, lines ...string) {
	for i, line := range lines {
		f := c.regular
		if bare := strings.TrimSuffix(strings.TrimPrefix(line, "<b>"), "</b>"); bare != line {
			f, line = c.bold, bare
		}
		wide := float64(font.MeasureString(f, line)) / 64
		at := fixed.P(int(x*pixels-wide/2), int((y+float64(i)*leading+textSize*0.36)*pixels))
		d := font.Drawer{Dst: c.img, Src: image.NewUniform(ink), Face: f, Dot: at}
		d.DrawString(line)
	}
}

// label writes one line on a filled background, over the lines below it.
func (c *canvas) label(x, y float64, line string) {
	wide := c.width(line)
	c.fill(paper, x-wide/2-2, y-leading/2, x+wide/2+2, y-leading/2, x+wide/2+2, y+leading/2, x-wide/2-2, y+leading/2)
	c.text(x, y, line)
}

// fill fills a polygon, given as x, y, x, y …
func (c *canvas) fill(with color.Color, xy ...float64) {
	var bounds image.Rectangle
	for i := 0; i < len(xy); i += 2 {
		at := image.Pt(int(math.Floor(xy[i]*pixels)), int(math.Floor(xy[i+1]*pixels)))
		bounds = bounds.Union(image.Rectangle{at, at.Add(image.Pt(2, 2))})
	}
	if bounds = bounds.Intersect(c.img.Rect); bounds.Empty() {
		return
	}
	x := func(i int) float32 { return float32(xy[i]*pixels - float64(bounds.Min.X)) }
	y := func(i int) float32 { return float32(xy[i+1]*pixels - float64(bounds.Min.Y)) }
	r := vector.NewRasterizer(bounds.Dx(), bounds.Dy())
	r.MoveTo(x(0), y(0))
	for i := 2; i < len(xy); i += 2 {
		r.LineTo(x(i), y(i))
	}
	r.ClosePath()
	r.Draw(c.img, bounds, image.NewUniform(with), image.Point{})
}

// line draws a line one point wide.
func (c *canvas) line(of color.Color, x1, y1, x2, y2 float64) {
	long := math.Hypot(x2-x1, y2-y1)
	dx, dy := (y2-y1)/long/2, (x1-x2)/long/2
	c.fill(of, x1+dx, y1+dy, x2+dx, y2+dy, x2-dx, y2-dy, x1-dx, y1-dy)
}

// dashed draws a line of dashes.
func (c *canvas) dashed(x1, y1, x2, y2 float64) {
	long := math.Hypot(x2-x1, y2-y1)
	for at := 0.0; at < long; at += 8 {
		from, to := at/long, min(at+5, long)/long
		c.line(ink, x1+(x2-x1)*from, y1+(y2-y1)*from, x1+(x2-x1)*to, y1+(y2-y1)*to)
	}
}

// head draws the head of an arrow that ends at x2, y2.
func (c *canvas) head(x1, y1, x2, y2 float64) {
	long := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/long, (y2-y1)/long
	c.fill(ink, x2, y2, x2-9*ux+4*uy, y2-9*uy-4*ux, x2-9*ux-4*uy, y2-9*uy+4*ux)
}

// box draws a box with text in its middle.
func (c *canvas) box(fill color.Color, x1, y1, x2, y2 float64, lines ...string) {
	c.fill(fill, x1, y1, x2, y1, x2, y2, x1, y2)
	c.frame(ink, x1, y1, x2, y2)
	c.text((x1+x2)/2, (y1+y2)/2-float64(len(lines)-1)*leading/2, lines...)
}

// frame draws the border of a box.
func (c *canvas) frame(of color.Color, x1, y1, x2, y2 float64) {
	c.line(of, x1, y1, x2, y1)
	c.line(of, x2, y1, x2, y2)
	c.line(of, x2, y2, x1, y2)
	c.line(of, x1, y2, x1, y1)
}
