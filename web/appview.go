package web

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed app/*
var appFiles embed.FS

// borrowed are the rules of the pages that views use too, by how their lines begin.
var borrowed = map[string][]string{
	"frame.css": {
		":focus-visible", "small ", ".soft", ".over", "[hidden]", ".button", ".alert", "table ", "th, td ", "thead th", "td.n",
	},
	"league.css": {".standings th", ".standings .points"},
	"detail.css": {".board", ".countdown", ".options", ".option "},
}

// AppView is a document that a program shows beside what it was answered: "table", a league that is watched, or
// "turn", a move that somebody is asked for. It is whole: it loads nothing, and speaks with the window around it alone.
func AppView(name, title string) string {
	var out strings.Builder
	shell := template.Must(template.ParseFS(appFiles, "app/view.html"))
	err := shell.Execute(&out, struct{ Title, Style, Script string }{
		title, appStyle(), terse(appFile("host.js")) + terse(appFile(name+".js")),
	})
	if err != nil {
		panic(err) // the shell is a part of the program
	}
	return out.String()
}

// appStyle is the colours of the pages, those of their rules that a view uses, and its own.
func appStyle() string {
	colours, _, _ := strings.Cut(string(assets["frame.css"].body), "\n\n")
	var out strings.Builder
	out.WriteString(terse(colours))
	for _, sheet := range []string{"frame.css", "league.css", "detail.css"} {
		for line := range strings.Lines(string(assets[sheet].body)) {
			if beginsLike(line, borrowed[sheet]) {
				out.WriteString(line)
			}
		}
	}
	return out.String() + terse(appFile("view.css"))
}

func beginsLike(line string, beginnings []string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(line, b) {
			return true
		}
	}
	return false
}

// terse leaves out what only those read who change a file: indentation, and lines that are comments.
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

func appFile(name string) string {
	text, err := appFiles.ReadFile("app/" + name)
	if err != nil {
		panic(err) // it is a part of the program
	}
	return string(text)
}
