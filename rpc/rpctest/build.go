package rpctest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
)

// Build returns the arguments of a go command that builds a program as the tests themselves are built, with the race
// detector or without: a second way to compile everything takes minutes.
func Build(args ...string) []string {
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append([]string{"-race"}, args...)
	}
	return append([]string{"build"}, args...)
}

// Program builds the product into a folder, as the tests themselves are built, and returns where it is. It is for the
// TestMain of a package whose tests start it as its users do: linking takes seconds, so that is done once.
func Program(dir string) (string, error) {
	program := filepath.Join(dir, "league")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", Build("-ldflags=-w", "-o", program, "agentleague/cmd/league")...)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build agentleague/cmd/league: %w\n%s", err, said)
	}
	return program, nil
}
