package protocol

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A declared message type or query has a row in its table.
func TestEveryDeclaredNameHasItsRow(t *testing.T) {
	var types, queries []string
	for _, s := range Specs() {
		types = append(types, string(s.Type))
	}
	for _, q := range Queries() {
		queries = append(queries, q.Name)
	}
	for _, c := range []struct {
		file, prefix string
		rows         []string
	}{
		{"types.go", "Type", types},
		{"season.go", "Query", queries},
	} {
		names := constants(t, c.file, c.prefix)
		if len(names) < 5 {
			t.Errorf("%s declares only %q", c.file, names)
		}
		for name, value := range names {
			if !slices.Contains(c.rows, value) {
				t.Errorf("%s: the table has no row for %s, %q", c.file, name, value)
			}
		}
	}
}

// constants returns the string constants of a file whose names have a prefix.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
			out[spec.Names[0].Name], _ = strconv.Unquote(text.Value)
		}
		return true
	})
	return out
}
