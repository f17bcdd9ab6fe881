package web

import "html/template"

// Figures returns the templates "chart" of a [Chart] and "crosstable" of a [Crosstable], for a page outside of the
// site.
func Figures() *template.Template {
	return template.Must(template.New("figures").Funcs(functions).Funcs(links("")).ParseFS(templateFiles, "templates/_figures.html"))
}

// FigureStyle returns the style sheet of [Figures]. The page must define the colours --card, --line and --soft.
func FigureStyle() template.CSS { return template.CSS(assets["figures.css"].body) } //nolint:gosec // a file of ours
