package web

import (
	"slices"
	"strings"
	"testing"
)

// A view has the colours of the pages, and each rule that it borrows from them.
func TestViewsLookLikeThePages(t *testing.T) {
	t.Parallel()
	for name, own := range borrowed {
		style := appStyle(name)
		for _, want := range []string{"--card:light-dark(#ffffff", `:root[data-theme="dark"]{`, "color-scheme:light dark"} {
			if !strings.Contains(style, want) {
				t.Errorf("%s: the style has no %q", name, want)
			}
		}
		for _, b := range append([]borrowing{everywhere}, own...) {
			lines := slices.Collect(strings.Lines(string(assets[b.sheet].body)))
			for _, beginning := range b.beginnings {
				at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, beginning) })
				if at < 0 || !strings.HasSuffix(strings.TrimSpace(lines[at]), "}") {
					t.Errorf("%s has no whole rule in a line that begins with %q", b.sheet, beginning)
				}
			}
		}
		if open, closed := strings.Count(style, "{"), strings.Count(style, "}"); open != closed {
			t.Errorf("%s: %d braces are opened and %d closed", name, open, closed)
		}
	}
}

// A view is one document whose script and style end in the right place.
func TestViewsAreWholeDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"table", "turn"} {
		text := AppView(name, "A title")
		for tag, want := range map[string]int{
			"<!DOCTYPE html>": 1, "<script>": 1, "</script": 1, "<style>": 1, "</style": 1, "<title>A title</title>": 1, "<!--": 0,
		} {
			if got := strings.Count(text, tag); got != want {
				t.Errorf("%s: got %s %d times, want %d", name, tag, got, want)
			}
		}
		t.Logf("%s: %d bytes", name, len(text))
	}
}
