package gate

import (
	"bytes"
	"net"
)

// A Post is a plain request. Its byte slices point into a buffer of the gate: they are valid until the handler returns
// and must be copied for later use. Strings may be kept.
type Post struct {
	Path          []byte   // such as /mcp: letters, digits, "-" and "_" between single slashes; no query
	Host          string   // as the client wrote it, with its port; never ""
	Authorization []byte   // the header's value; empty: there is none
	Body          []byte   // at least one byte
	Remote        string   // the address of the client, without the port
	Local         net.Addr // the address that the client connected to

	Status int // of the answer, set by the handler: it is a text then; 0: the answer is JSON

	room *buffer // for the answer; nil: not allocated yet
}

// Room returns an empty slice with capacity in which the handler may write its answer. It must not be used after the
// handler has returned. It is allocated on the first call, so that a waiting handler holds no memory.
func (r *Post) Room() []byte {
	if r.room == nil {
		r.room = takeBuffer()
	}
	return r.room.b[:0]
}

// maxHead and maxPlain are the maximum sizes of a plain request in bytes: of its head, and in total. Larger requests
// are read by net/http.
const (
	maxHead  = 4 << 10
	maxPlain = 64 << 10
)

// A requestHead is a parsed request without its body. Its slices point into the buffer that was parsed.
type requestHead struct {
	path, host, token []byte
	size              int // of the head
	length            int // of the body
	seen              header
}

// readHead parses the head of the request at the start of b. It returns false if the head is incomplete or not plain.
func readHead(b []byte) (h requestHead, ok bool) {
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

// cutLine splits b after the first line. Each line in b ends with CR LF.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\r\n"))
	return line, rest
}

// target returns the path of a request line such as "POST /mcp HTTP/1.1", and false for other requests.
func target(line []byte) (path []byte, ok bool) {
	path, post := bytes.CutPrefix(line, []byte("POST "))
	path, version := bytes.CutSuffix(path, []byte(" HTTP/1.1"))
	return path, post && version && plainPath(path)
}

// plainPath reports whether a path is unambiguous: it has no escapes, and no empty or dotted segments.
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

// plainHost reports whether a host is a name or an address, optionally with a port.
func plainHost(h []byte) bool {
	for _, c := range h {
		if !isAlnum(c) && c != '-' && c != '.' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return len(h) > 0
}

func isAlnum(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }

// number parses a Content-Length of one to six digits without leading zeros.
func number(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0 && len(b) <= 6 && b[0] != '0'
}
