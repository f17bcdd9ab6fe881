//go:build unix

package exec

import (
	osexec "os/exec"
	"syscall"
)

// group has a program be the first of a group, so that all that it starts can be ended with it.
func group(cmd *osexec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program and all of its group.
func killGroup(cmd *osexec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be gone
}
