//go:build !race

package cli

// racing reports that the race detector is on, which needs additional memory.
const racing = false
