package web

import (
	"fmt"
	"strings"
	"time"

	"agentleague/protocol"
)

// took formats a duration for people: 0.4 ms, 31 ms, 2.1 s.
func took(ms float64) string {
	switch {
	case ms < 0.05:
		return "less than 0.1 ms"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// endings are a player's outcomes of a match, as a letter and in words.
var endings = map[string]struct{ letter, words string }{
	protocol.Win: {"W", "won"}, protocol.Draw: {"D", "draw"}, protocol.Loss: {"L", "lost"},
	protocol.TechnicalLoss: {"F", "lost by forfeit"},
}

// typeWords formats a message type for people: game invitation.
func typeWords(t string) string { return strings.ToLower(strings.ReplaceAll(t, "_", " ")) }

// plainLines cleans a third-party text of several lines.
func plainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = said(line, 2000)
	}
	return strings.Join(lines[:min(len(lines), 100)], "\n")
}
