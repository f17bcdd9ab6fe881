package wire

import (
	"net"
	"net/url"
	"strconv"
)

// A Target is a parsed URL to call. It is immutable.
type Target struct {
	address string // host and port
	host    string // as the header Host has it
	path    string // with the query
}

// NewTarget returns the target of a URL, ignoring its scheme.
func NewTarget(u *url.URL) *Target {
	t := &Target{address: u.Host, host: u.Host, path: u.RequestURI()}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), "80")
	}
	return t
}

// appendRequest appends an HTTP request to t with a body to b.
func (t *Target) appendRequest(b, body []byte) []byte {
	b = append(append(b, "POST "...), t.path...)
	b = append(append(b, " HTTP/1.1\r\nHost: "...), t.host...)
	b = append(b,
		"\r\nUser-Agent: league\r\nContent-Type: application/json\r\nAccept: application/json, "+
			"text/event-stream\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	return append(append(b, "\r\n\r\n"...), body...)
}
