package view

import (
	"strings"
	"testing"

	"agentleague/league"
)

func TestTiesAreExplainedByTheRuleThatDecides(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"wins": "on wins: 3 to 2", "draw_difference": "on draws: 3 to 2", "head_to_head": "head to head: 3 to 2 points",
		"player_id": "share the rank", "": "share the rank",
	} {
		if got := newTie(league.Decision{Rule: rule, Above: 3, Below: 2}, "Ben", "P02").Words; !strings.Contains(got,
			want) || !strings.Contains(got, "Ben") {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

func TestCleanTextIsHarmless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada": "Ada", "a\x00b\x1b[31m": "a\ufffdb\ufffd[31m", strings.Repeat("é", 9): "éééééééé…",
		"o\u0301\u0302\u0303\u0304": "o\u0301\u0302",
	} {
		if got := Clean(text, 8); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
