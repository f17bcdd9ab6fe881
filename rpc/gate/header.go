package gate

import "bytes"

// A header is a bit for each header that a plain request may have, at most once. Any other header may have an effect,
// such as Transfer-Encoding, Expect, Upgrade, Origin, Mcp-Session-Id or X-Forwarded-For: net/http and its handlers
// interpret those.
type header uint

// The headers that a plain request may have. A request with any other header goes to net/http.
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

// names maps the lower-case names of headers to their bits.
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

// named returns the bit of a header name in any case, or 0 if it is none of those.
func named(name []byte) header {
	for i := range names {
		if equalFold(name, names[i].name) {
			return names[i].header
		}
	}
	return 0
}

// equalFold reports whether b equals lower, a text in lower case, ignoring the case of ASCII letters only:
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

// read parses a header line such as "Host: localhost:8001". It returns false if the request is not plain.
func (h *requestHead) read(line []byte) bool {
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

// printable reports whether b consists of printable ASCII characters only, which no parser takes for the end of a line
// or value.
func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
