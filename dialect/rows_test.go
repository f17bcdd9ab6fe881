package dialect

import (
	"maps"
	"slices"
	"testing"

	"agentleague/dialect/notation"
)

// The words in a dialect's text are the protocol's; this test checks their meaning.
func TestEveryWordOfADialectHasAMeaning(t *testing.T) {
	var rows []string
	for _, r := range Rows {
		rows = append(rows, r.Name)
	}
	frames := slices.Collect(maps.Keys(framers))
	for _, c := range []struct {
		what        string
		words, here []string
	}{
		{"rows", notation.RowNames, rows},
		{"frames", notation.Frames, append(frames, "mcp")},
		{"shapes", notation.Shapes, slices.Collect(maps.Keys(shapes))},
	} {
		got, want := slices.Sorted(slices.Values(c.here)), slices.Sorted(slices.Values(c.words))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the tables have %q, the protocol %q", c.what, got, want)
		}
	}
	for _, r := range Rows {
		if !slices.Contains(notation.Frames, r.Frame) {
			t.Errorf("row %s has the frame %q", r.Name, r.Frame)
		}
	}
}
