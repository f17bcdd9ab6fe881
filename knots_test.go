package agentleague_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Limits of sizes, so that a type or a package can be understood without the others.
const (
	maxMethods = 40   // declared on one type
	maxKnotted = 10   // files of one package that all reach each other
	maxLines   = 7000 // of one package, without tests
)

// sizeReasons are the reasons of the places that are close to a limit: at nine tenths of it or above.
var sizeReasons = map[string]string{
	"protocol":                      "the structs of 75 messages, and the codec that reads and writes them",
	"league/manager":                "the parts of a season share one log writer and one state; none is used without the others",
	"league":                        "the pure rules of a season: events, fold, decisions, table, audit",
	"web":                           "one file for each page with its view and its API",
	"internal/cli":                  "one file for each verb",
	"league/registration.Registrar": "one method for each step of a registration",
	"store.Root":                    "one method for each kind of file in the tree",
	"league.Audit":                  "one check for each kind of entry",
	"league.registry":               "the fold of all events about agents, one method for each",
	"dialect":                       "one table and one extractor for each habit of third-party agents",
	"rpc":                           "server and client of a node share its dialects, sessions and expectations",
}

// TestSizesAreLimited: the log has the ten largest places of each kind, each with its reason, whether or not they are
// close to a limit.
func TestSizesAreLimited(t *testing.T) {
	var methods, promoted, cycles, packages []measure
	for path, p := range checked(t) {
		packages = append(packages, measure{p.lines(), path})
		for name, n := range p.methods() {
			methods = append(methods, measure{n.declared, path + "." + name})
			promoted = append(promoted, measure{n.all, path + "." + name})
		}
		for _, knot := range knots(p.arrows()) {
			cycles = append(cycles, measure{len(knot), path + ": " + strings.Join(knot, " ")})
		}
	}
	logWorst(t, "methods with those of embedded types", promoted)
	explained := map[string]bool{}
	for _, kind := range []struct {
		unit  string
		limit int
		sizes []measure
	}{{"methods", maxMethods, methods}, {"files in a cycle", maxKnotted, cycles}, {"lines", maxLines, packages}} {
		logWorst(t, kind.unit, kind.sizes)
		for _, m := range kind.sizes {
			place, _, _ := strings.Cut(m.place, ":")
			close := m.n*10 >= kind.limit*9
			explained[place] = explained[place] || close
			if m.n > kind.limit {
				t.Errorf("%s has %d %s; at most %d", m.place, m.n, kind.unit, kind.limit)
			} else if close && sizeReasons[place] == "" {
				t.Errorf("%s has %d %s, close to the limit of %d: make it smaller, or write the reason into sizeReasons",
					m.place, m.n, kind.unit, kind.limit)
			}
		}
	}
	for place := range sizeReasons {
		if !explained[place] {
			t.Errorf("%s is not close to a limit: remove it from sizeReasons", place)
		}
	}
}

// A measure is a size that a guard reports, with its place: a folder or a type, and details after a colon.
type measure struct {
	n     int
	place string
}

// logWorst sorts sizes, the largest first, and logs the first ten with their reasons.
func logWorst(t *testing.T, unit string, all []measure) {
	t.Helper()
	slices.SortFunc(all, func(a, b measure) int { return cmp.Or(b.n-a.n, strings.Compare(a.place, b.place)) })
	for _, m := range all[:min(10, len(all))] {
		place, _, _ := strings.Cut(m.place, ":")
		t.Logf("%d %s: %s  %s", m.n, unit, m.place, sizeReasons[place])
	}
}

// lines counts the lines of a package without its tests.
func (s source) lines() (n int) {
	for _, file := range s.files {
		n += s.set.File(file.Pos()).LineCount()
	}
	return n
}

func TestKnotsAreFound(t *testing.T) {
	got := knots(map[string]map[string]bool{
		"a": {"b": true}, "b": {"c": true, "e": true}, "c": {"a": true, "d": true},
		"d": {"e": true}, "e": {"d": true}, "f": {"a": true},
	})
	if want := "[[a b c] [d e]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// A source is a parsed and type-checked package.
type source struct {
	set   *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// checked parses and type-checks every package of the module, without tests. Imports come from the export data of the
// compiler.
func checked(t *testing.T) map[string]source {
	t.Helper()
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		DepOnly                 bool
	}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}
	if withRace() {
		args = append(args, "-race") // reuses the packages that were compiled for this test
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./...")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = append(own, p)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	read := map[string]source{}
	for _, p := range own {
		s := source{set: set, info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.files = append(s.files, file)
		}
		config := types.Config{Importer: compiled}
		if s.pkg, err = config.Check(p.ImportPath, set, s.files, s.info); err != nil {
			t.Fatal(err)
		}
		read[folder(p.ImportPath)] = s
	}
	return read
}

// withRace reports whether this test was compiled with the race detector.
func withRace() bool {
	build, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// A methodCount counts the methods of a type.
type methodCount struct {
	declared int // on the type itself
	all      int // with those promoted from embedded types of this module
}

// methods counts the methods of each type. Types that share dependencies by embedding them have many promoted methods.
func (s source) methods() map[string]methodCount {
	count := map[string]methodCount{}
	for _, name := range s.pkg.Scope().Names() {
		declared, ok := s.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		named, ok := declared.Type().(*types.Named)
		if !ok {
			continue
		}
		n := methodCount{declared: named.NumMethods()}
		if i, ok := named.Underlying().(*types.Interface); ok {
			n = methodCount{i.NumExplicitMethods(), i.NumMethods()}
		}
		for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			if from := method.Obj().Pkg(); from != nil && strings.HasPrefix(from.Path(), module+"/") {
				n.all++
			}
		}
		count[name] = n
	}
	return count
}

// arrows returns, for each file, the other files of its package whose names it uses.
func (s source) arrows() map[string]map[string]bool {
	arrows := map[string]map[string]bool{}
	for name, object := range s.info.Uses {
		if object.Pkg() != s.pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := s.file(name.Pos()), s.file(object.Pos())
		if from == to {
			continue
		}
		if arrows[from] == nil {
			arrows[from] = map[string]bool{}
		}
		arrows[from][to] = true
	}
	return arrows
}

func (s source) file(at token.Pos) string { return filepath.Base(s.set.Position(at).Filename) }

// knots returns the dependency cycles: the sets of two or more files that all reach each other.
func knots(arrows map[string]map[string]bool) (out [][]string) {
	reach := map[string]map[string]bool{}
	for from := range arrows {
		seen := map[string]bool{}
		for todo := slices.Collect(maps.Keys(arrows[from])); len(todo) > 0; {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[next] {
				seen[next] = true
				todo = slices.AppendSeq(todo, maps.Keys(arrows[next]))
			}
		}
		reach[from] = seen
	}
	for _, one := range slices.Sorted(maps.Keys(reach)) {
		knot := []string{}
		for _, other := range slices.Sorted(maps.Keys(reach)) {
			if reach[one][other] && reach[other][one] {
				knot = append(knot, other)
			}
		}
		if len(knot) > 1 && knot[0] == one {
			out = append(out, knot)
		}
	}
	return out
}
