package rpctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// Build returns the arguments of a go command that builds a program with the same flags as the running test, including
// the race detector. Other flags would compile everything a second time, which takes minutes.
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

// Program builds the product into dir, with the flags of the tests, and returns its path. Call it from the TestMain of
// a package whose tests run the product as a process, since linking takes seconds. Program also removes GOGC from the
// environment: it is set for the tests, and the product tunes its garbage collector only without it.
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
