// Package figures draws the charts and crosstables of a league, for its pages and its report.
//
//	view.Curves     ─▶ Chart ─▶ template "chart"
//	view.Crosstable ──────────▶ template "crosstable"
package figures

import (
	_ "embed"
	"html/template"
)

// Templates is the source of the templates "chart" of a [Chart], "crosstable" of a [view.Crosstable], and "first".
//
//go:embed figures.html
var Templates string

// Tokens is the style sheet with the design tokens of all pages: type scale, spacing and colours.
//
//go:embed tokens.css
var Tokens string

//go:embed figures.css
var drawings string

// Style is the style sheet of the templates, with the tokens that it uses.
var Style = Tokens + drawings

// Functions are the functions that the templates call. The function link returns the address of a path of the site.
var Functions = template.FuncMap{
	"list": func(items ...any) []any { return items },
	"add":  func(a, b int) int { return a + b },
	"link": func(path string) string { return path },
}
