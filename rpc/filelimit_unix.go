//go:build !windows

package rpc

import (
	"errors"
	"syscall"
)

// fileLimit is how many files this process may have open.
func fileLimit() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1024
	}
	return int(min(uint64(limit.Cur), 1<<20))
}

// outOfFiles reports whether something failed because this process, or the system, can open no more files.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
