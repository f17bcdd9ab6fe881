package figures

import (
	"regexp"
	"strings"
	"testing"

	"rsc.io/qr"
)

// The drawing has a square where the code is dark, and a light border.
func TestQRCodeIsDrawn(t *testing.T) {
	t.Parallel()
	const text = "http://192.168.1.10:8000/leagues/class"
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	q := NewQR(text)
	dark := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(q.Path, -1) {
		for i := range number(m[3]) {
			dark[[2]int{number(m[1]) + i, number(m[2])}] = true
		}
	}
	for y := range q.Side {
		for x := range q.Side {
			if want := code.Black(x-qrBorder, y-qrBorder); dark[[2]int{x, y}] != want {
				t.Fatalf("the square at %d, %d is dark: %v, want %v", x, y, !want, want)
			}
		}
	}
	if NewQR(strings.Repeat("x", 10_000)) != nil {
		t.Error("a text that is too long has a code")
	}
}

func number(text string) (n int) {
	for _, digit := range text {
		n = 10*n + int(digit-'0')
	}
	return n
}
