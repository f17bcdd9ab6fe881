package gate

import (
	"bytes"
	"net"
)

// A Post is a plain request. Its byte slices lie in a buffer of the gate: they are valid until the handler returns,
// and must be copied for later use. Strings may be kept.
type Post struct {
	Path          []byte   // such as /mcp: letters, digits, "-" and "_" between single slashes; no query
	Host          string   // as the client wrote it, with its port; never ""
	Authorization []byte   // the header's value; empty: there is none
	Body          []byte   // at least one byte
	Remote        string   // the address of the client, without the port
	Local         net.Addr // the address that the client connected to

	room *buffer // for the answer; nil: not allocated yet
}

// Room returns memory that the handler may write its answer in, from its beginning, and must not use after it has
// returned. It is taken when it is asked for, so that a handler that waits holds none.
func (r *Post) Room() []byte {
	if r.room == nil {
		r.room = takeBuffer()
	}
	return r.room.b[:0]
}

// maxHead and maxPlain are how many bytes a plain request may have: its head, and all of it. A larger one is as
// welcome, and is read by net/http.
const (
	maxHead  = 4 << 10
	maxPlain = 64 << 10
)

// A head is a request up to its body. Its slices point into the buffer that was read.
type head struct {
	path, host, token []byte
	size              int // of the head
	length            int // of the body
	seen              header
}

// readHead reads the head of the request with which b begins. It is not ok for a head that is not plain, or is
// incomplete. It reads nothing after the head.
func readHead(b []byte) (h head, ok bool) {
	end := bytes.Index(b[:min(len(b), maxHead)], []byte("\r\n\r\n"))
	if end < 0 {
		return h, false
	}
	h.size = end + 4
	line, rest := cutLine(b[:end+2])
	if h.path, ok = target(line); !ok {
		return h, false
	}
	for len(rest) > 0 {
		line, rest = cutLine(rest)
		if !h.read(line) {
			return h, false
		}
	}
	return h, h.seen&needed == needed && h.size+h.length <= maxPlain
}

// cutLine returns the first line of b, which ends every line with CR LF, and the rest.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\r\n"))
	return line, rest
}

// target returns the path of a request line such as "POST /mcp HTTP/1.1".
func target(line []byte) (path []byte, ok bool) {
	path, post := bytes.CutPrefix(line, []byte("POST "))
	path, version := bytes.CutSuffix(path, []byte(" HTTP/1.1"))
	return path, post && version && plainPath(path)
}

// plainPath reports whether a path has only one interpretation: no escapes, no empty and no dotted segments.
func plainPath(p []byte) bool {
	if len(p) == 0 || p[0] != '/' {
		return false
	}
	for i, c := range p {
		if !isAlnum(c) && c != '-' && c != '_' && (c != '/' || i > 0 && p[i-1] == '/') {
			return false
		}
	}
	return true
}

// plainHost reports whether a host is a name or an address, perhaps with a port.
func plainHost(h []byte) bool {
	for _, c := range h {
		if !isAlnum(c) && c != '-' && c != '.' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return len(h) > 0
}

func isAlnum(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }

// number reads the length of a body: one to six digits, of which the first is not 0.
func number(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0 && len(b) <= 6 && b[0] != '0'
}
