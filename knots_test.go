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

// What one person can hold in the head at a time.
const (
	mostMethods = 40 // of one type
	mostKnotted = 10 // files of one package that all reach each other
)

// A type that does everything and files that all need each other are read whole or not at all. The log has the ten worst
// of each kind, whether or not they reach a limit.
func TestNothingIsTooMuchForOneHead(t *testing.T) {
	var methods, cycles, packages []measure
	for path, p := range checked(t) {
		packages = append(packages, measure{p.lines(), path})
		for name, n := range p.methods() {
			methods = append(methods, measure{n, path + "." + name})
			if n > mostMethods {
				t.Errorf("%s.%s has %d methods; at most %d", path, name, n, mostMethods)
			}
		}
		for _, knot := range knots(p.arrows()) {
			cycles = append(cycles, measure{len(knot), fmt.Sprintf("of %d files of %s", len(p.files), path)})
			if len(knot) > mostKnotted {
				t.Errorf("%s: %d of %d files all reach each other, at most %d: %s", path, len(knot), len(p.files), mostKnotted,
					strings.Join(knot, " "))
			}
		}
	}
	logWorst(t, "methods", methods)
	logWorst(t, "files in a cycle", cycles)
	logWorst(t, "lines", packages)
}

// A measure is a size that a guard reports, with its place.
type measure struct {
	n     int
	place string
}

// logWorst logs the ten largest.
func logWorst(t *testing.T, unit string, all []measure) {
	t.Helper()
	slices.SortFunc(all, func(a, b measure) int { return cmp.Or(b.n-a.n, strings.Compare(a.place, b.place)) })
	for _, m := range all[:min(10, len(all))] {
		t.Logf("%d %s: %s", m.n, unit, m.place)
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

// source is a package read with the types of everything in it.
type source struct {
	set   *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// checked reads every package of the module, without tests, from its source, and what it imports from what the compiler
// left.
func checked(t *testing.T) map[string]source {
	t.Helper()
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		DepOnly                 bool
	}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}
	if withRace() {
		args = append(args, "-race") // as everything was compiled for this test already
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

// withRace says whether this test was compiled with the race detector.
func withRace() bool {
	build, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// methods counts what is declared on each type.
func (s source) methods() map[string]int {
	count := map[string]int{}
	for _, name := range s.pkg.Scope().Names() {
		if named, ok := s.pkg.Scope().Lookup(name).Type().(*types.Named); ok && named.Obj().Pkg() == s.pkg {
			count[named.Obj().Name()] = named.NumMethods()
		}
	}
	return count
}

// arrows tells of each file which others of its package it uses names of.
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

// knots returns the sets of two or more that all reach each other.
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
