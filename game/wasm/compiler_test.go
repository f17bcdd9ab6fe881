package wasm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/game/wasm/wasmtest"
)

// limited sets the limits of child processes for one test, which must not be parallel.
func limited(t *testing.T, most limits) {
	t.Helper()
	before := compilerLimits
	compilerLimits = most
	t.Cleanup(func() { compilerLimits = before })
}

// A module can be expensive although its structure is within all limits. Its child process has others.
func TestModuleThatIsExpensiveToCompileIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		most limits
		want string
	}{
		"time":   {limits{200 * time.Millisecond, 512 << 20}, "it takes more than 200ms to compile"},
		"memory": {limits{time.Minute, 16 << 20}, "it takes more than 16 MiB of memory to compile"},
	} {
		t.Run(name, func(t *testing.T) {
			limited(t, tt.most)
			wantRefused(t, wasmtest.Heavy("odd"), tt.want)
		})
	}
}

func TestInterruptEndsTheCompiler(t *testing.T) {
	interrupted := errors.New("interrupt")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(interrupted) })
	if _, err := New(ctx, "config/games/guest.wasm", wasmtest.Heavy("odd")); !errors.Is(err, interrupted) {
		t.Errorf("got %v, want %v", err, interrupted)
	}
}

// The child's work is not done again, and nothing of it stays on disk.
func TestCompiledModuleIsLoadedFromTheCacheOfTheChild(t *testing.T) {
	code := good.Bytes()
	dir := t.TempDir()
	if err := compileAside(t.Context(), dir, code); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Fatalf("the child left %v, want one compiled module", got)
	}
	counted, err := metered(code, maxSteps)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	m, err := load(t.Context(), dir, counted)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if after := files(t, dir); before[0] != after[0] { // a module that is compiled here replaces the file
		t.Errorf("the module was compiled again: %v, then %v", before, after)
	}

	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // Windows
	if _, err := compile(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// files returns the names and times of all files below dir.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out = append(out, d.Name()+" "+info.ModTime().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A child that fails in another way than by refusing a module is an error with its message.
func TestCompilerThatFailsIsNamed(t *testing.T) {
	err := compileAside(t.Context(), string([]byte{'n', 'o', 0}), good.Bytes())
	if err == nil || !strings.HasPrefix(err.Error(), "the process that compiles it: ") {
		t.Errorf("got %v", err)
	}
}
