package store

import "bytes"

// tornEnd terminates a torn line in a way that makes it invalid.
const tornEnd = "\x00\n"

// isUnwritten reports whether a line was not written completely, and so was never acknowledged: it is empty, has no
// newline, or has the zeros that a power failure leaves.
func isUnwritten(line []byte) bool {
	return len(line) <= 1 || line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0
}
