package cli

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agentleague/web/webtest"
)

func TestMain(m *testing.M) {
	testscript.Main(sharing{m}, map[string]func(){"league": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }})
}

// A sharing runs the tests with one browser and each kit built once, and then removes what they shared.
type sharing struct{ *testing.M }

func (s sharing) Run() int {
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // half of the time they wait for another process
	defer func() { _ = os.RemoveAll(builds.dir) }()
	return webtest.Main(s.M)
}

// TestCommands runs the program as its users do: each script is a folder of its
// own in which commands are typed.
func TestCommands(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/script")
}

// Those that take their time.
func TestLongCommands(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/script/long")
}

func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each command takes a second to end under the race detector
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"manager-up": managerUp,
			"await":      await,
			"json":       jsonValue,
			"save":       saveValue,
			"agent-up":   agentUp,
			"post":       post,
			"flood":      flood,
			"exit":       exit,
			"interrupt":  interrupt,
			"metric":     metric,
			"port":       freePort,
			"endpoint":   endpointInto,
			"config-set": configSet,
		},
	})
}
