package web

import "strings"

// NoFormula escapes a name that a spreadsheet would take for a formula.
func NoFormula(name string) string {
	if strings.ContainsAny(name[:min(len(name), 1)], "=+-@") {
		return "'" + name
	}
	return name
}
