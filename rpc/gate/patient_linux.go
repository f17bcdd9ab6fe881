package gate

import "syscall"

// A server that has answered reads on at once, finds nothing, and waits: a system call for nothing with every request.
// From a client that is patient nothing can come before it has its answer. So for such a client the answer is written
// after the runtime was told that a read is about to wait, and the wait follows without a read: what the answer leads
// to wakes it. A client that hangs up before its answer was written is noticed as well, since the system tells of the
// answer that could not be delivered.

// sendPatiently writes the answer and waits until something has come, without a buffer. It leaves in out what could not
// be written at once.
func (k *conn) sendPatiently() error {
	if k.raw == nil {
		c, ok := k.Conn.(syscall.Conn)
		if !ok {
			return nil
		}
		raw, err := c.SyscallConn()
		if err != nil {
			return err
		}
		k.raw, k.onRaw = raw, k.writeThenWait
	}
	return k.raw.Read(k.onRaw)
}

// writeThenWait is called before the wait and after it. It reports whether there is nothing to wait for.
func (k *conn) writeThenWait(file uintptr) (done bool) {
	if k.out == nil {
		return true
	}
	n, err := syscall.Write(int(file), k.out.b)
	if err != nil || n < len(k.out.b) { // the client reads slowly, or is gone: the usual way finds out
		k.out.b = k.out.b[:copy(k.out.b, k.out.b[max(n, 0):])]
		return true
	}
	return !k.sent()
}
