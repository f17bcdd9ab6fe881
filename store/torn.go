package store

import "bytes"

// tornEnd terminates a torn line so that it cannot be mistaken for a complete one.
const tornEnd = "\x00\n"

// unwritten reports whether a line was never written completely, and so never acknowledged: it is empty, has no end,
// or has the zeros that a power failure leaves.
func unwritten(line []byte) bool {
	return len(line) <= 1 || line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0
}
