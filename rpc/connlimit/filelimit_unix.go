//go:build !windows

package connlimit

import (
	"errors"
	"net"
	"syscall"
)

// FileLimit returns the maximum number of open files of this process.
func FileLimit() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1024
	}
	return int(min(uint64(limit.Cur), 1<<20))
}

// outOfFiles reports whether an error means that this process, or the system, cannot open more files.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// spareFiles is the number of file descriptors that connections leave free.
const spareFiles = 16

// nearLimit reports whether a new connection has one of the last file descriptors. The system assigns the lowest free
// descriptor, so a high one means that few are left.
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
