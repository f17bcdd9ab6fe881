package gate

import "bytes"

// A header is one that a plain request may have, once. All others may have an effect, such as Transfer-Encoding,
// Expect, Upgrade, Origin, Mcp-Session-Id, X-Forwarded-For: net/http and its handlers interpret them.
type header uint

// The headers that a plain request may have, each once. One with any other header is left to net/http.
const (
	host header = 1 << iota
	contentLength
	contentType
	userAgent
	accept
	acceptEncoding
	connection
	authorization

	needed = host | contentLength
)

// names are the headers by their names in lower case.
var names = [...]struct {
	name string
	header
}{
	{"host", host},
	{"user-agent", userAgent},
	{"content-type", contentType},
	{"accept", accept},
	{"content-length", contentLength},
	{"accept-encoding", acceptEncoding},
	{"connection", connection},
	{"authorization", authorization},
}

// named returns the header of a name in any case; 0: none of those.
func named(name []byte) header {
	for i := range names {
		if equalFold(name, names[i].name) {
			return names[i].header
		}
	}
	return 0
}

// equalFold reports whether b is lower, which is in lower case, ignoring the case of ASCII letters alone:
// bytes.EqualFold also folds letters of other alphabets.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// read takes over a line such as "Host: localhost:8001". It reports whether the request is still plain.
func (h *head) read(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	which := named(name)
	if value = bytes.Trim(value, " "); !ok || which == 0 || h.seen&which != 0 || !printable(value) {
		return false
	}
	h.seen |= which
	switch which {
	case host:
		h.host = value
		return plainHost(value)
	case contentLength:
		h.length, ok = number(value)
		return ok
	case connection:
		return equalFold(value, "keep-alive")
	case authorization:
		h.token = value
	}
	return true
}

// printable reports whether b consists of printable ASCII characters, so that no parser takes one of them for the end
// of the line or of the value.
func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
