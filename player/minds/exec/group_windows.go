package exec

import (
	osexec "os/exec"
	"strconv"
)

// group does nothing: Windows tracks child processes without groups.
func group(*osexec.Cmd) {}

// killGroup kills a program and all its child processes.
func killGroup(cmd *osexec.Cmd) {
	_ = osexec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may be gone
	_ = cmd.Process.Kill()
}
