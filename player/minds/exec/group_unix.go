//go:build unix

package exec

import (
	osexec "os/exec"
	"syscall"
)

// group starts a program in its own process group, so that its child processes can be killed with it.
func group(cmd *osexec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and all of its group.
func killGroup(cmd *osexec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be gone
}
