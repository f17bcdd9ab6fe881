package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A new verb has a summary and an example, and a script that asks for its help.
func TestEveryVerbIsExplainedAndTried(t *testing.T) {
	t.Parallel()
	scripts := readScripts(t)
	root := (&app{}).command()
	root.InitDefaultHelpCmd()
	for _, verb := range verbs(root) {
		path := verb.CommandPath()
		if !strings.Contains(scripts, "\nexec "+path+" --help\n") {
			t.Errorf("no script in testdata/script has: exec %s --help", path)
		}
		if tried := strings.Count(scripts, path+" ") + strings.Count(scripts, path+"\n"); tried < 3 {
			t.Errorf("%s: want scripts of its help, its success and its errors; it is named %d times", path, tried)
		}
		if verb.Short == "" || !strings.HasPrefix(verb.Example, "  league ") {
			t.Errorf("%s: short %q, example %q; want both, the example indented", path, verb.Short, verb.Example)
		}
	}
}

// verbs lists the commands below cmd. Those of a completion are the library's.
func verbs(cmd *cobra.Command) (out []*cobra.Command) {
	for _, c := range cmd.Commands() {
		out = append(out, c)
		if c.Name() != "completion" {
			out = append(out, verbs(c)...)
		}
	}
	return out
}

func readScripts(t *testing.T) string {
	t.Helper()
	short, err := filepath.Glob("testdata/script/*.txtar")
	long, longErr := filepath.Glob("testdata/script/long/*.txtar")
	names := append(short, long...)
	if err = errors.Join(err, longErr); err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("\n" + string(text))
	}
	return all.String()
}

// Every verb is in a group of the help, and the value of each flag has a name.
func TestHelpIsForPeople(t *testing.T) {
	t.Parallel()
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.HasParent() && !cmd.Parent().HasParent() && cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.CommandPath())
		}
		for _, kind := range []string{" string ", " int ", " ints ", " float64 ", " stringArray ", " league help "} {
			if text := cmd.UsageString(); strings.Contains(text, kind+" ") {
				t.Errorf("%s: a flag takes%s:\n%s", cmd.CommandPath(), kind, text)
			}
		}
		for _, below := range cmd.Commands() {
			look(below)
		}
	}
	look((&app{}).command())
}
