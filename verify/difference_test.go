package verify

import "testing"

func TestDifferencesOmitTheCommaBetweenMembers(t *testing.T) {
	for _, c := range []struct{ want, found, text string }{
		{"[\n\"rock\",\n1\n]", "[\n\"paper\",\n1\n]", `file:2: want "rock", found "paper"`},
		{"{\n\"rank\": 1,\n\"x\": 2\n}", "{\n\"rank\": 2,\n\"x\": 2\n}", `file:2: rank: want 1, found 2`},
		{"[\n1,\n2\n]", "[\n1\n]", `file:2: want 1 and a comma, found 1`},
		{"[\n1,\n2\n]", "[\n1,,\n2\n]", `file:2: want 1 and a comma, found 1 and 2 commas`},
		{"[\n1,\n2\n]", "[\n3,,\n2\n]", `file:2: want 1, found 3`},
		{"[\n1\n]", "[\n1\n]\nmore", `file:3: want "]", found "]\n"`},
		{"[\n1\n]\n", "[\n1\n]\nmore", `file:4: want its end, found more`},
		{"[\n  1\n]\n", "[\n 1\n]\n", `file:2: want "  1\n", found " 1\n"`},
		{"{\n\"a\": 1\n}", "{\n\"a\":\t1\n}", `file:2: want "a": 1, found "a":	1`},
	} {
		d, differs := firstDifference([]byte(c.want), []byte(c.found))
		if d.File = "file"; !differs || d.String() != c.text {
			t.Errorf("%q and %q: got %q, want %q", c.want, c.found, d, c.text)
		}
	}
}
