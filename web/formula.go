package web

import "strings"

// NoFormula keeps a spreadsheet from taking a name for a formula.
func NoFormula(name string) string {
	if strings.ContainsAny(name[:min(len(name), 1)], "=+-@") {
		return "'" + name
	}
	return name
}
