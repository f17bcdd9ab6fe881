package plot

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestADrawingIsWellFormedAndSaysWhatItShows(t *testing.T) {
	p := Panel{Title: "objects for a match <b>", X: "players", Points: []Point{{100, 800, 790, 820}, {1000, 805, 800, 830}}}
	out := string(Draw("cost & players", p, p))
	for d := xml.NewDecoder(strings.NewReader(out)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, out)
		}
	}
	for _, want := range []string{
		"<title>cost &amp; players</title>", "objects for a match &lt;b&gt;", ">players</text>", ">1,000</text>", `viewBox="0 0 800 300"`,
		"prefers-color-scheme: dark",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "<circle"); n != 4 {
		t.Errorf("got %d points, want 4", n)
	}
}

// Nothing to show is no reason to fail.
func TestAPanelOfOnePointOrNoneIsDrawn(t *testing.T) {
	for _, points := range [][]Point{nil, {{100, 5, 5, 5}}, {{100, 0, 0, 0}, {200, 0, 0, 0}}} {
		if out := string(Draw("", Panel{Points: points})); strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
			t.Errorf("%v: a place that is no number:\n%s", points, out)
		}
	}
}

func TestTicksAreRoundAndReachTheTop(t *testing.T) {
	for _, c := range []struct {
		most float64
		want []float64
	}{
		{820, []float64{0, 200, 400, 600, 800, 1000}}, {1.3, []float64{0, 0.5, 1, 1.5}}, {5, []float64{0, 1, 2, 3, 4, 5}},
		{1000, []float64{0, 200, 400, 600, 800, 1000}}, {0, []float64{0, 1}},
	} {
		got := Ticks(c.most)
		same := slices.EqualFunc(got, c.want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
		if !same {
			t.Errorf("%v: got %v, want %v", c.most, got, c.want)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.25: "0.25", 1.2345: "1.23", 999.6: "1,000", 10000: "10,000", 1234567: "1,234,567", 64: "64"} {
		if got := Number(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}
