package rpctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// Build returns the arguments of a go command that builds a program as the tests themselves are built, with the race
// detector or without, and with the same flags for the compiler: a second way to compile everything takes minutes.
func Build(args ...string) []string {
	asTested := []string{"build"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "-race" && s.Value == "true":
				asTested = append(asTested, "-race")
			case s.Key == "-gcflags":
				asTested = append(asTested, "-gcflags="+s.Value)
			}
		}
	}
	return append(asTested, args...)
}

// Program builds the product into a folder, with the flags of the tests, and returns its path. It is for the TestMain
// of a package whose tests start it as its users do: linking takes seconds, so that is done once. It also removes
// GOGC from the environment: that is for the tests, and the product configures its collector only without it.
func Program(dir string) (string, error) {
	program := filepath.Join(dir, "league")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", Build("-ldflags=-w", "-o", program, "agentleague/cmd/league")...)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build agentleague/cmd/league: %w\n%s", err, said)
	}
	return program, os.Unsetenv("GOGC")
}
