//go:build !windows

package connlimit

import (
	"errors"
	"net"
	"syscall"
)

// FileLimit is how many files this process may have open.
func FileLimit() int {
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

// spareFiles is how many files a process can still open after it has opened a connection.
const spareFiles = 16

// nearLimit reports whether a connection that was just opened took one of the last files. Files have numbers, and a
// new one gets the lowest that is free.
func nearLimit(c net.Conn) (near bool) {
	file, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	limit := FileLimit()
	err = raw.Control(func(number uintptr) { near = int(number) >= limit-min(spareFiles, limit/4) })
	return near && err == nil
}
