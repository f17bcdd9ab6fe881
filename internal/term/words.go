// Package term writes to terminals: third-party text without control sequences,
// tables, and a table that is updated in place.
//
//	third-party text ─▶ Plain, Brief ─▶ no escape sequences, no line breaks
//	standings        ─▶ Table        ─▶ as wide as the terminal, or narrower words
//	Screen           ─▶ lines that replace the previous ones; plain lines elsewhere
//
// Every text that an agent chose, such as its name, is sanitized here before it
// is printed.
package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agentleague/protocol"
)

// Plain sanitizes third-party text for a terminal.
func Plain(text string) string { return protocol.Plain(text) }

// PlainLines is the same for a text that may have several lines.
func PlainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}

// Brief sanitizes third-party text and limits it to part of a line.
func Brief(text string) string { return Cut(text, 120) }

// Cut limits third-party text to a number of characters.
func Cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return Plain(text)
}

// fit limits third-party text to a number of columns of a terminal.
func fit(text string, columns int) string { return ansi.Truncate(Plain(text), max(columns, 0), "…") }
