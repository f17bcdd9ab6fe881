package figures

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// A QR is a QR code as a drawing of the template "qr": Path has its dark squares, each of them one unit wide.
type QR struct {
	Text string
	Side int // of the drawing, with the required light border
	Path string
}

// qrBorder is the width of the light border, in squares, as in the standard.
const qrBorder = 4

// NewQR encodes a text; nil if the text is too long.
func NewQR(text string) *QR {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if wide := x - from; wide > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+qrBorder, y+qrBorder, wide, wide)
			}
		}
	}
	return &QR{Text: text, Side: code.Size + 2*qrBorder, Path: path.String()}
}
