package main

import (
	"os"
	"runtime/debug"
)

// An agent lives on little memory and makes much that is soon thrown away: so
// it is collected a quarter as often as usual, and as often as need be from
// softLimit on.
const (
	collectAt = 400 // per cent of what is in use
	softLimit = 1 << 30
)

// spareCollector sets how often memory is collected, unless the environment does.
func spareCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}
