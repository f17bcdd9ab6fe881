package show

import (
	"testing"

	"agentleague/internal/term"
	"agentleague/protocol"
)

func TestWhoSharesTheFirstPlaceIsAChampionToo(t *testing.T) {
	t.Parallel()
	table := []protocol.Standing{
		{PlayerID: "P01", DisplayName: "Ada", Points: 7}, {PlayerID: "P02", DisplayName: "Grace", Points: 7},
		{PlayerID: "P03", DisplayName: "Edsger", Points: 7}, {PlayerID: "P04", DisplayName: "Alan", Points: 1},
	}
	for want, shared := range map[string]term.Ranks{
		"Champion: Ada (P01) with 7 points":                                      {"P02": "=2", "P03": "=2"},
		"Champions: Ada (P01) and Grace (P02), with 7 points each":               {"P01": "=1", "P02": "=1"},
		"Champions: Ada (P01), Grace (P02) and Edsger (P03), with 7 points each": {"P01": "=1", "P02": "=1", "P03": "=1"},
	} {
		if got := Champions(table, shared); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
