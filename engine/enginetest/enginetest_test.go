package enginetest_test

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentleague/engine/enginetest"
)

func TestSoundEngineKeepsTheLaws(t *testing.T) {
	t.Run("virtual", func(t *testing.T) { enginetest.Run(t, enginetest.Options{Virtual: true}, sound) })
	t.Run("exclusive", func(t *testing.T) {
		enginetest.Run(t, enginetest.Options{Virtual: true, Exclusive: true, Patience: time.Second}, sound)
	})
	t.Run("real", func(t *testing.T) { enginetest.Run(t, enginetest.Options{}, sound) })
}

// inChild is set in the process that tests the broken engines, and fails.
const inChild = "ENGINETEST_BROKEN_ENGINES"

func TestEveryBrokenEngineIsCaught(t *testing.T) {
	if os.Getenv(inChild) != "" {
		runBrokenEngines(t)
		return
	}
	run, failed := runInChild(t)
	for _, b := range brokenEngines {
		if !failed[underscored(b.name+"/"+b.law)] {
			t.Errorf("an engine that %s passes %q", b.name, b.law)
		}
	}
	for law := range laws(run) {
		if !laws(failed)[law] {
			t.Errorf("no broken engine fails %q", law)
		}
	}
}

// runInChild returns the subtests, "engine/law", that ran and that failed in another process.
func runInChild(t *testing.T) (run, failed map[string]bool) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inChild+"=1")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("test broken engines: got %v, want that tests fail:\n%s", err, out)
	}
	return subtests(out, `=== RUN +`+t.Name()), subtests(out, `--- FAIL: `+t.Name())
}

func subtests(out []byte, prefix string) map[string]bool {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(prefix+`/(\S+/\S+)`).FindAllSubmatch(out, -1) {
		found[string(m[1])] = true
	}
	return found
}

func laws(subtests map[string]bool) map[string]bool {
	found := map[string]bool{}
	for name := range subtests {
		found[path.Base(name)] = true
	}
	return found
}

func runBrokenEngines(t *testing.T) {
	for _, b := range brokenEngines {
		t.Run(b.name, func(t *testing.T) { enginetest.Run(t, enginetest.Options{Virtual: true}, b.make) })
	}
}

// underscored is how the testing package writes the name of a subtest.
func underscored(name string) string { return strings.ReplaceAll(name, " ", "_") }
