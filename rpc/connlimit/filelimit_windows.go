package connlimit

import "net"

// FileLimit returns a high constant, since Windows has no such limit.
func FileLimit() int { return 1 << 16 }

// outOfFiles reports whether an error means that this process cannot open more files; on Windows it never does.
func outOfFiles(error) bool { return false }

// nearLimit reports whether a connection has one of the last file descriptors; on Windows it never does.
func nearLimit(net.Conn) bool { return false }
