package agentleague_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// apiPackages are the packages for programs outside of this module, such as agents that fetch their messages from a
// mailbox: their exported names need no use here.
var apiPackages = []string{"player", "game", "rating", "mailbox"}

// TestExportedNamesAreUsedElsewhere: an exported name of a package is used in another package or in an external test, or
// belongs to the API of a name that is: a type in its signature or its fields, or a constant of its type.
func TestExportedNamesAreUsedElsewhere(t *testing.T) {
	t.Parallel()
	sources := checked(t)
	used := usedNames(t, sources)
	var counts []measure
	for folder, s := range sources {
		if slices.Contains(apiPackages, folder) || s.pkg.Name() == "main" {
			continue
		}
		unused := unusedExports(s.pkg, used[folder])
		counts = append(counts, measure{len(unused), folder})
		for _, name := range unused {
			t.Errorf("%s.%s is exported and only its own package uses it: unexport it", folder, name)
		}
	}
	logWorst(t, "unused exported names", counts)
}

func TestUnusedExportsAreFound(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "x.go", `package x
		type Used struct { Part Part; hidden Hidden }
		type Part int
		const One Part = 1
		type Hidden struct{}
		func (Hidden) Method() {}
		func Alone() {}
		func Called() (Result, error) { return nil, nil }
		type Result interface { Next() *Last }
		type Last struct{}
		var unexported Hidden`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("x", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := unusedExports(pkg, map[string]bool{"Used": true, "Called": true})
	if want := []string{"Alone", "Hidden"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// usedNames returns, for each folder, the package-level names that other packages and external tests use.
func usedNames(t *testing.T, sources map[string]source) map[string]map[string]bool {
	t.Helper()
	used := map[string]map[string]bool{}
	use := func(folder, name string) {
		if used[folder] == nil {
			used[folder] = map[string]bool{}
		}
		used[folder][name] = true
	}
	for _, s := range sources {
		for _, object := range s.info.Uses {
			if object.Pkg() != nil && object.Pkg() != s.pkg && object.Parent() == object.Pkg().Scope() {
				use(folder(object.Pkg().Path()), object.Name())
			}
		}
	}
	for name, file := range testFiles(t) {
		for _, imported := range file.Imports {
			importPath, _ := strconv.Unquote(imported.Path.Value)
			below, ours := strings.CutPrefix(importPath, module+"/")
			if !ours {
				continue
			}
			local := path.Base(importPath)
			if imported.Name != nil {
				local = imported.Name.Name
			}
			if local == "." {
				t.Errorf("%s: a dot import hides which names it uses", name)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := selector.X.(*ast.Ident); ok && x.Name == local {
						use(below, selector.Sel.Name)
					}
				}
				return true
			})
		}
	}
	return used
}

// testFiles parses all tests of the repository.
func testFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, name := range sources(t) {
		if !strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = file
	}
	return files
}

// unusedExports returns the sorted exported names of a package that are neither used nor part of the API of used ones.
func unusedExports(pkg *types.Package, used map[string]bool) (unused []string) {
	api := &reachable{pkg: pkg, seen: map[types.Type]bool{}}
	scope := pkg.Scope()
	for name := range used {
		if object := scope.Lookup(name); object != nil {
			api.visit(object.Type())
		}
	}
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() || used[name] {
			continue
		}
		_, isFunc := object.(*types.Func)
		if isFunc || !api.seen[object.Type()] {
			unused = append(unused, name)
		}
	}
	return unused
}

// reachable is the set of types that a client of a package meets through exported names.
type reachable struct {
	pkg  *types.Package
	seen map[types.Type]bool
}

// visit adds a type with the types in its signature, its exported fields and its exported methods.
func (r *reachable) visit(t types.Type) {
	t = types.Unalias(t)
	if t == nil || r.seen[t] {
		return
	}
	r.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		r.named(t)
	case *types.Signature:
		r.visit(t.Params())
		r.visit(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			r.visit(v.Type())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				r.visit(field.Type())
			}
		}
	case *types.Interface:
		for method := range t.Methods() {
			r.visit(method.Type())
		}
	case *types.Map:
		r.visit(t.Key())
		r.visit(t.Elem())
	case interface{ Elem() types.Type }:
		r.visit(t.Elem())
	}
}

// named visits a named type, its type arguments, its methods and its definition.
func (r *reachable) named(t *types.Named) {
	for argument := range t.TypeArgs().Types() {
		r.visit(argument)
	}
	if t.Obj().Pkg() != r.pkg {
		return
	}
	r.visit(t.Origin())
	r.visit(t.Underlying())
	for method := range t.Methods() {
		if method.Exported() {
			r.visit(method.Type())
		}
	}
}
