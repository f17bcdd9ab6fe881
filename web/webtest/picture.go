package webtest

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

// Picture saves what the tab shows as a PNG with the 256 most frequent colours, which is a third of the size.
func (tab *Tab) Picture(file string) {
	tab.t.Helper()
	shot, err := chromedp.Run(tab.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		tab.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		tab.t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(encoder.Encode(&out, reduced(full)), os.MkdirAll(filepath.Dir(file), 0o755),
		os.WriteFile(file, out.Bytes(), 0o644)); err != nil {
		tab.t.Fatal(err)
	}
}

// reduced returns a picture in its most frequent colours.
func reduced(full image.Image) *image.Paletted {
	counts, box := map[color.RGBA]int{}, full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return cmp.Compare(counts[b], counts[a]) })
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	out, index := image.NewPaletted(box, palette), map[color.RGBA]uint8{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := at(x, y)
			n, known := index[c]
			if !known {
				n = uint8(palette.Index(c))
				index[c] = n
			}
			out.SetColorIndex(x, y, n)
		}
	}
	return out
}
