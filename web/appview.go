package web

import (
	"embed"
	"regexp"
	"strings"
	"text/template"

	"agentleague/web/figures"
)

//go:embed app/*
var appFiles embed.FS

// A borrowing selects CSS rules of a style sheet of the pages for a view in an MCP host, by the beginnings of their
// lines.
type borrowing struct {
	sheet      string
	beginnings []string
}

// everywhere are the rules that every view uses.
var everywhere = borrowing{"frame.css", []string{
	":focus-visible", "small ", ".soft", ".over", "[hidden]", ".button", ".alert", "table ", "th, td ", "thead th", "td.n",
}}

// borrowed maps a view to the CSS rules of the pages that this view needs in addition to everywhere.
var borrowed = map[string][]borrowing{
	"table": {{"league.css", []string{".standings th", ".standings .points"}}},
	"turn": {{"board.css", []string{
		".board-box {", ".board.n", ".board.t", ".board {", ".board td {", ".board th {", ".board thead", ".board td.m1", ".board td.m2",
		".board td.back", ".board button", ".board.squares", ".board.discs td {", ".board.discs td.m1", ".board.discs td.m2",
		".board.sheet {", ".board.sheet td {", ".board.sheet t",
	}}, {"detail.css", []string{".countdown", ".options", ".option "}}},
}

// AppView returns the HTML document that an MCP host shows beside a tool's result: "table", the view of a league, or
// "turn", a request for a move. The document is self-contained: it loads nothing, and communicates only with the
// window around it.
func AppView(name, title string) string {
	var out strings.Builder
	shell := template.Must(template.ParseFS(appFiles, "app/view.html"))
	err := shell.Execute(&out, struct{ Title, Style, Script string }{
		title, appStyle(name), terse(appFile("host.js")) + terse(appFile(name+".js")),
	})
	if err != nil {
		panic(err) // the shell is a part of the program
	}
	return out.String()
}

// appStyle returns the style sheet of a view: the tokens of the pages, the rules of the pages that the view uses, and
// view.css.
func appStyle(name string) string {
	var out strings.Builder
	for _, b := range append([]borrowing{everywhere}, borrowed[name]...) {
		for line := range strings.Lines(string(assets[b.sheet].body)) {
			if beginsLike(line, b.beginnings) {
				out.WriteString(line)
			}
		}
	}
	rules := out.String() + appFile("view.css")
	return squeezed.Replace(terse(usedTokens(rules) + rules))
}

// token matches the definition of a design token.
var token = regexp.MustCompile(`--[\w-]+: [^;}]+[;}]?`)

// usedTokens returns the definitions of the design tokens that the given CSS rules use, without those for the projector
// layout.
func usedTokens(rules string) string {
	tokens, _, _ := strings.Cut(figures.Tokens, ".projector")
	return token.ReplaceAllStringFunc(tokens, func(one string) string {
		name, _, _ := strings.Cut(one, ":")
		if strings.Contains(rules, "var("+name+")") {
			return one
		}
		return ""
	})
}

// squeezed removes redundant spaces from a style.
var squeezed = strings.NewReplacer(" { ", "{", " {\n", "{", " }\n", "}\n", " }", "}", "; ", ";", ": ", ":")

// beginsLike reports whether a line begins with one of beginnings.
func beginsLike(line string, beginnings []string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(line, b) {
			return true
		}
	}
	return false
}

// terse removes indentation and comment lines from a text.
func terse(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// appFile returns the text of a view's file for MCP hosts. It panics if the file is not embedded, which is a bug that
// the first test finds.
func appFile(name string) string {
	text, err := appFiles.ReadFile("app/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}
