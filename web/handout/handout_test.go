package handout

import (
	"strings"
	"testing"

	"agentleague/protocol"
)

// The page has a part for each invitation, escapes names, and loads nothing.
func TestEachStudentHasAPart(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := Handout{"Class <7b>", []protocol.Invitation{
		{DisplayName: "Eva <Groß>", Address: "http://192.168.1.10:8000/k/abc/mcp"},
		{DisplayName: "Long", Address: strings.Repeat("x", 5000)}, // too long for a QR code
	}}.Write(&out)
	if err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for text, want := range map[string]int{"<li>": 2, "<svg": 1, "Eva &lt;Groß&gt;": 1, "league player --manager http://192.168.1.10:8000/k/abc/mcp": 1,
		"Class &lt;7b&gt;": 2, "<script": 0, "src=": 0, "href=": 0} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q is on the page %d times, want %d", text, got, want)
		}
	}
}
