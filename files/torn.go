package files

import "bytes"

// tornEnd ends a line that was not written to its end, so that it does not pass for one.
const tornEnd = "\x00\n"

// unwritten reports whether a line never was on disk as a whole, so that nobody was told of it: it is empty, has no
// end, or has the zeros of a disk that lost its power.
func unwritten(line []byte) bool {
	return len(line) <= 1 || line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0
}
