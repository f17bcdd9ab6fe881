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

// Style is the style sheet of the templates. The page must define the colours --card, --line and --soft.
//
//go:embed figures.css
var Style string

// Functions are the functions that the templates call. The function link returns the address of a path of the site.
var Functions = template.FuncMap{
	"list": func(items ...any) []any { return items },
	"add":  func(a, b int) int { return a + b },
	"link": func(path string) string { return path },
}
