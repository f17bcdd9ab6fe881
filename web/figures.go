package web

import "html/template"

// Figures are the templates "chart" of a [Chart] and "crosstable" of a [Crosstable], for a page outside of the site.
func Figures() *template.Template {
	return template.Must(template.New("figures").Funcs(functions).Funcs(links("")).ParseFS(templateFiles, "templates/_figures.html"))
}

// FigureStyle is the style sheet of [Figures]. It wants the colours --card, --line and --soft from the page.
func FigureStyle() template.CSS { return template.CSS(assets["figures.css"].body) } //nolint:gosec // a file of ours
