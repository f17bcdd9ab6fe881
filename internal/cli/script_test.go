package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agentleague/rpc/rpctest"
	"agentleague/web/webtest"
)

// TestMain builds the program, which the tests start as its users do: not the binary of the tests themselves, which
// takes half as long again to start. Kits are built once, and there is one browser.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // half of the time they wait for another process
	os.Exit(withProgram(func() int { return webtest.Main(m) }))
}

// withProgram runs tests that find the program as `league`, then removes their shared files. A test that runs itself in
// another process finds it there too.
func withProgram(tests func() int) (status int) {
	const built = "LEAGUE_CLI_TEST_PROGRAM"
	if os.Getenv(built) != "" {
		return tests()
	}
	dir, err := os.MkdirTemp("", "league-cli-")
	if err == nil {
		defer func() { _, _ = os.RemoveAll(dir), os.RemoveAll(builds.dir) }()
		_, err = rpctest.Program(dir)
	}
	if err == nil {
		err = errors.Join(os.Setenv(built, dir), os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests()
}

// TestCommands runs the program as its users do: each script runs commands in its own folder.
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
			"unpack":     unpackInto,
		},
	})
}
