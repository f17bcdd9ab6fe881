package web

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentleague/web/webtest"
)

// Every diagram in the documents can be drawn by Mermaid, as the sites do that show them.
func TestLongDiagramsCanBeDrawn(t *testing.T) {
	t.Parallel()
	diagrams := diagramsIn(t, os.DirFS(".."))
	if len(diagrams) == 0 {
		t.Fatal("no document has a diagram")
	}
	source, err := os.ReadFile(filepath.Join(checkers(t, "audit"), "node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"))
	if err != nil {
		t.Fatal(err)
	}
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open("data:text/html,<!doctype html><title>diagrams</title><p>diagrams")
	webtest.Get[bool](tab, string(source)+"; mermaid.initialize({startOnLoad: false}); true")
	for i, d := range diagrams {
		text, err := json.Marshal(d.text)
		if err != nil {
			t.Fatal(err)
		}
		refused := webtest.Get[string](tab, `mermaid.render("diagram", `+string(text)+`).then(
			d => { document.body.innerHTML = d.svg; return ""; }, e => String(e))`)
		if refused != "" {
			t.Errorf("%s: %.500s\n%s", d.file, refused, d.text)
			continue
		}
		tab.Shot(fmt.Sprintf("diagram-%d", i+1))
	}
}

// A diagram is a block of Mermaid in a document.
type diagram struct{ file, text string }

// diagramsIn lists the diagrams of a tree of documents.
func diagramsIn(t *testing.T, tree fs.FS) (out []diagram) {
	t.Helper()
	block := regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```")
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".md"):
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		for _, found := range block.FindAllSubmatch(text, -1) {
			out = append(out, diagram{file, string(found[1])})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
