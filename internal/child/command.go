// Package child starts external programs that answer on their standard output: strategies and MCP servers of others.
//
//	Command ─▶ a program in its own process group, without the league's tokens
//	Kill    ─▶ its end, with all that it has started
package child

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Grace is how long a program has to exit after the end of its standard input.
const Grace = 1 * time.Second

// Command returns a command for a program in its own process group, with this process's environment except for the
// variables of the league, which contain tokens. Its standard error is copied to stderr.
func Command(path string, args []string, stderr io.Writer) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stderr, cmd.WaitDelay = environment(), stderr, Grace
	group(cmd)
	return cmd
}

// environment returns this process's environment without the variables of the league.
func environment() (out []string) {
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "LEAGUE_") {
			out = append(out, variable)
		}
	}
	return out
}
