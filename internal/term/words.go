// Package term is what a terminal can show: words of strangers without what
// would move its cursor, tables, and one that changes while it is looked at.
//
//	strangers' text ─▶ Plain, Brief ─▶ no escape sequences, no line breaks
//	standings       ─▶ Table        ─▶ as wide as the terminal, or narrower words
//	Screen          ─▶ lines that replace the ones before; plain lines elsewhere
//
// Every word that an agent chose for itself, such as its name, passes through
// here before it is printed.
package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agentleague/protocol"
)

// Plain is a text of somebody else's as a terminal can show it.
func Plain(text string) string { return protocol.Plain(text) }

// PlainLines is the same for a text that may have several lines.
func PlainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}

// Brief is a text of somebody else's that has no more than a part of a line.
func Brief(text string) string { return Cut(text, 120) }

// Cut is a text of somebody else's up to a number of characters.
func Cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return Plain(text)
}

// Fit is a text of somebody else's in at most so many columns of a terminal.
func Fit(text string, columns int) string { return ansi.Truncate(Plain(text), max(columns, 0), "…") }
