package child

import (
	"os/exec"
	"strconv"
)

// group does nothing: Windows tracks child processes without groups.
func group(*exec.Cmd) {}

// Kill ends a program that was made by [Command], with all programs that it has started.
func Kill(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may be gone
	_ = cmd.Process.Kill()
}
