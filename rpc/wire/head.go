package wire

import (
	"bytes"
	"net/http"
)

// A verdict is how far an answer has come.
type verdict int

const (
	more  verdict = iota // it may be plain: there is not enough of it yet
	other                // the standard library is to read it
	whole                // it is plain, and all of it is there
)

// A head is the parsed head of a plain answer.
type head struct {
	size   int // bytes, with the empty line at its end
	status int
	length int // bytes of the body
}

// readHead parses the head at the start of b. It returns whole if the head is plain and complete, more if b is too
// short to decide, and other if the head is not plain.
//
// A plain head is one of HTTP/1.1 with a final status that has a body, lines that end in CR LF, names of letters,
// digits, - and _, values of printable ASCII, exactly one Content-Length, and no header that affects the body or the
// connection. [http.ReadResponse] reads every complete plain head in the same way. The verdicts whole and other do not
// change when more bytes follow.
func readHead(b []byte) (h head, v verdict) {
	if !bytes.HasPrefix(b, version[:min(len(b), len(version))]) {
		return h, other
	}
	end := bytes.Index(b, emptyLine)
	if end < 0 {
		return h, more
	}
	h.size, h.length = end+len(emptyLine), -1
	line, lines, _ := bytes.Cut(b[len(version):end+2], newLine)
	if !h.readStatus(line) {
		return h, other
	}
	for len(lines) > 0 {
		line, lines, _ = bytes.Cut(lines, newLine)
		if !h.readField(line) {
			return h, other
		}
	}
	if h.length < 0 {
		return h, other
	}
	return h, whole
}

// Parts of a head as bytes, which avoids conversions for each answer.
var version, newLine, emptyLine = []byte("HTTP/1.1 "), []byte("\r\n"), []byte("\r\n\r\n")

// readStatus parses the status code and the phrase after it. It returns false if they are not plain.
func (h *head) readStatus(line []byte) (ok bool) {
	if len(line) < 3 || len(line) > 3 && line[3] != ' ' || !printable(line[3:]) {
		return false
	}
	h.status, ok = number(line[:3])
	return ok && h.status >= 200 && h.status < 600 && h.status != http.StatusNoContent &&
		h.status != http.StatusNotModified
}

// readField parses a header line. It returns false if the line is not plain.
func (h *head) readField(line []byte) (ok bool) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	value = bytes.Trim(value, " ")
	if !ok || !word(name) || !printable(value) {
		return false
	}
	switch len(name) {
	case len("content-length"):
		if bytes.EqualFold(name, []byte("content-length")) {
			ok = h.length < 0
			if ok {
				h.length, ok = number(value)
			}
			return ok
		}
	case len("connection"):
		if bytes.EqualFold(name, []byte("connection")) {
			return bytes.EqualFold(value, []byte("keep-alive"))
		}
	case len("transfer-encoding"):
		return !bytes.EqualFold(name, []byte("transfer-encoding"))
	case len("trailer"), len("content-encoding"):
		return !bytes.EqualFold(name, []byte("trailer")) && !bytes.EqualFold(name, []byte("upgrade")) &&
			!bytes.EqualFold(name, []byte("content-encoding"))
	}
	return true
}

// word reports whether a header name consists of letters, digits, - and _ only.
func word(b []byte) bool {
	for _, c := range b {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return len(b) > 0
}

// printable reports whether b consists of printable ASCII characters only.
func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// number parses one to nine digits. It returns false for any other text.
func number(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0 && len(b) <= 9
}
