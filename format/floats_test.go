package format

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The compilers of some processors fuse a multiplication and an addition of floats, which changes the result.
func TestPairingsUseNoFloats(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if found := floats(t, names, make([]any, len(names))); len(names) < 10 || len(found) > 0 {
		t.Errorf("%d files: %s", len(names), strings.Join(found, ", "))
	}
}

func TestFloatsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"package x; var a = 1.5", "package x; type T struct{ a [3]float32 }", "package x; func f(n int) bool { return float64(n) > 2 }",
		`package x; import "math"; func f() int { return int(math.Sqrt(4)) }`, "package x; var c complex64",
	} {
		if len(floats(t, []string{"x.go"}, []any{text})) == 0 {
			t.Errorf("no float is found in %s", text)
		}
	}
}

// floats lists the places of expressions and types with floats.
func floats(t *testing.T, names []string, texts []any) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for i, name := range names {
		file, err := parser.ParseFile(set, name, texts[i], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: importer.Default()}).Check("x", set, files, &info); err != nil {
		t.Fatal(err)
	}
	for e, of := range info.Types {
		if basic, ok := of.Type.Underlying().(*types.Basic); ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0 {
			found = append(found, set.Position(e.Pos()).String())
		}
	}
	return found
}
