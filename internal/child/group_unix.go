//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// group starts a program in its own process group, so that its child processes can be killed with it.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a program that was made by [Command], with all programs that it has started.
func Kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be gone
}
