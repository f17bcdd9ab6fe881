package connlimit

import "net"

// FileLimit is how many files this process may have open. This system has no such limit.
func FileLimit() int { return 1 << 16 }

// outOfFiles reports whether something failed because this process can open no more files.
func outOfFiles(error) bool { return false }

// nearLimit reports whether a connection took one of the last files.
func nearLimit(net.Conn) bool { return false }
