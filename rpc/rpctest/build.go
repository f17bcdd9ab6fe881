package rpctest

import (
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
