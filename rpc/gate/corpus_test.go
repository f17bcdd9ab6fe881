package gate

import "strings"

// A trick is an unusual request, or one that two servers may interpret differently.
type trick struct {
	name  string
	sent  string
	plain int // how many requests of it the gate answers, whatever net/http does with the rest
}

// post is a request with an additional header line, and a body of one byte.
func post(line string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + line + "Content-Length: 1\r\n\r\n1"
}

// to is a request to a target.
func to(target string) string {
	return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1"
}

// with is a request whose length is defined by these lines.
func with(lines, body string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n" + body
}

// hidden is a second request that a trick tries to have read, or not.
const hidden = "POST /hidden HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n2"

var corpus = []trick{
	{"plain", post(""), 1},
	{"the headers of a client", post("user-agent: x\r\nACCEPT: */*\r\naccept-encoding: gzip, deflate\r\nConnection: Keep-Alive\r\n" +
		"Content-Type: text/plain\r\nAuthorization: Bearer t\r\n"), 1},
	{"no space after the colon, many behind the value", "POST /mcp HTTP/1.1\r\nHost:localhost   \r\nContent-Length:1  \r\n\r\n1", 1},
	{"two at once", post("") + hidden, 2},
	{"three at once", post("") + hidden + post(""), 3},
	{"bytes after the body", post("") + "garbage", 1},
	{"a line end after the body", post("") + "\r\n", 1},
	{"a line end after the body, and another request", post("") + "\r\n" + hidden, 2},
	{"four line ends after the body, and another request", post("") + "\n\r\n\r\n" + hidden, 1},
	{"a line end after the first line end", post("") + "\r\nA" + hidden, 1},
	{"then a GET", post("") + "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 1},
	{"then a GET and a plain one", post("") + "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n" + hidden, 1},

	{"length and chunks", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"+hidden), 0},
	{"chunks and length", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"+hidden), 0},
	{"chunks", with("Transfer-Encoding: chunked\r\n", "1\r\n1\r\n0\r\n\r\n"+hidden), 0},
	{"chunks, odd", with("Transfer-Encoding: xchunked\r\nContent-Length: 1\r\n", "1"), 0},
	{"chunks, with a tab", with("Transfer-Encoding:\tchunked\r\n", "1\r\n1\r\n0\r\n\r\n"), 0},
	{"chunks, with a space in the name", with("Transfer-Encoding : chunked\r\nContent-Length: 1\r\n", "1"), 0},
	{"chunks, folded", with("X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "1"), 0},
	{"two lengths", with("Content-Length: 1\r\nContent-Length: 2\r\n", "12"), 0},
	{"the same length twice", with("Content-Length: 1\r\nContent-Length: 1\r\n", "1"), 0},
	{"a list of lengths", with("Content-Length: 1, 1\r\n", "1"), 0},
	{"a length with a plus", with("Content-Length: +1\r\n", "1"), 0},
	{"a negative length", with("Content-Length: -1\r\n", "1"), 0},
	{"a length in hex", with("Content-Length: 0x1\r\n", "1"), 0},
	{"a length with a zero before it", with("Content-Length: 01\r\n", "1"), 0},
	{"a length with a space in it", with("Content-Length: 1 0\r\n", "1234567890"), 0},
	{"a length with a tab", with("Content-Length:\t1\r\n", "1"), 0},
	{"a length with an underscore", with("Content-Length: 1_0\r\n", "1234567890"), 0},
	{"no length", with("", hidden), 0},
	{"an empty length", with("Content-Length:\r\n", "1"), 0},
	{"length 0", with("Content-Length: 0\r\n", hidden), 0},
	{"a huge length", with("Content-Length: 99999999999999999999\r\n", "1"), 0},
	{"more than the gate takes", with("Content-Length: 70000\r\n", strings.Repeat("1", 70000)), 0},
	{"as much as it takes", with("Content-Length: 60000\r\n", strings.Repeat("1", 60000)), 1},
	{"less than it says", with("Content-Length: 9\r\n", "1"), 0},
	{"a length with NUL", with("Content-Length: 1\x00\r\n", "1"), 0},

	{"a folded value", post("Accept: a\r\n b\r\n"), 0},
	{"a line that begins with a tab", post("\tAccept: a\r\n"), 0},
	{"bare LF", "POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 1\n\n1", 0},
	{"bare LF in the head", "POST /mcp HTTP/1.1\r\nHost: localhost\nContent-Length: 1\r\n\r\n1", 0},
	{"bare LF at the end of the head", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\n\n1" + hidden, 0},
	{"bare CR", "POST /mcp HTTP/1.1\r\nHost: localhost\rContent-Length: 1\r\n\r\n1", 0},
	{"bare CR in a value", post("Accept: a\rb\r\n"), 0},
	{"CR CR LF", post("Accept: a\r\r\n"), 0},
	{"NUL in a value", post("Accept: a\x00b\r\n"), 0},
	{"NUL in a name", post("Acc\x00ept: a\r\n"), 0},
	{"DEL in a value", post("Accept: a\x7f\r\n"), 0},
	{"other alphabets in a value", post("Accept: \xc3\xa4\r\n"), 0},
	{"other alphabets in a name", post("Ho\xc5\xbft: evil\r\n"), 0},
	{"a tab in a name", post("Acc\tept: a\r\n"), 0},
	{"a space before the colon", post("Accept : a\r\n"), 0},
	{"no colon", post("Accept\r\n"), 0},
	{"no name", post(": a\r\n"), 0},
	{"an empty value", post("Accept:\r\n"), 1},
	{"an underscore for a hyphen", with("Content_Length: 1\r\n", ""), 0},
	{"a header that is not known", post("X-Forwarded-For: 192.0.2.1\r\n"), 0},
	{"a session", post("Mcp-Session-Id: 1\r\n"), 0},
	{"an origin", post("Origin: http://evil.example\r\n"), 0},
	{"a cookie", post("Cookie: a=b\r\n"), 0},
	{"a header twice", post("Accept: a\r\naccept: b\r\n"), 0},
	{"a large head", post("Accept: " + strings.Repeat("x", 5000) + "\r\n"), 0},
	{"a head that is too large", post("Accept: " + strings.Repeat("x", 20000) + "\r\n"), 0},

	{"no host", "POST /mcp HTTP/1.1\r\nContent-Length: 1\r\n\r\n1", 0},
	{"an empty host", "POST /mcp HTTP/1.1\r\nHost:\r\nContent-Length: 1\r\n\r\n1", 0},
	{"two hosts", post("Host: localhost\r\n"), 0},
	{"a host with a user", "POST /mcp HTTP/1.1\r\nHost: a@localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"a host with a path", "POST /mcp HTTP/1.1\r\nHost: localhost/x\r\nContent-Length: 1\r\n\r\n1", 0},
	{"a host with a space", "POST /mcp HTTP/1.1\r\nHost: local host\r\nContent-Length: 1\r\n\r\n1", 0},
	{"an address as host", "POST /mcp HTTP/1.1\r\nHost: [::1]:8001\r\nContent-Length: 1\r\n\r\n1", 1},

	{"expect", post("Expect: 100-continue\r\n"), 0},
	{"expect something else", post("Expect: x\r\n"), 0},
	{"upgrade", post("Connection: Upgrade\r\nUpgrade: h2c\r\n"), 0},
	{"close", post("Connection: close\r\n") + hidden, 0},
	{"a list of connection options", post("Connection: keep-alive, close\r\n") + hidden, 0},
	{"a header named by Connection", post("Connection: Authorization\r\n"), 0},
	{"a trailer", post("Trailer: X\r\n"), 0},
	{"TE", post("TE: trailers\r\n"), 0},

	{"HTTP/1.0", "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1" + hidden, 0},
	{"HTTP/1.2", "POST /mcp HTTP/1.2\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0},
	{"no version", "POST /mcp\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"a version in small letters", "POST /mcp http/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"a method in small letters", "post /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"another method", "PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"a space before the method", " " + post(""), 0},
	{"a line end before the method", "\r\n" + post(""), 0},
	{"two spaces", to(" /mcp"), 0},
	{"a tab in the request line", "POST\t/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1", 0},
	{"TLS", "\x16\x03\x01\x00\x05hello", 0},

	{"a whole address as target", to("http://localhost/mcp"), 0},
	{"another host as target", to("http://evil.example/mcp"), 0},
	{"an asterisk as target", to("*"), 0},
	{"a host as target", to("localhost:80"), 0},
	{"no slash", to("mcp"), 0},
	{"an escape", to("/%6dcp"), 0},
	{"an escaped slash", to("/a%2fmcp"), 0},
	{"a dotted segment", to("/a/../mcp"), 0},
	{"a segment that is a dot", to("/./mcp"), 0},
	{"two slashes", to("//mcp"), 0},
	{"two slashes inside", to("/a//mcp"), 0},
	{"a query", to("/mcp?a=b"), 0},
	{"a fragment", to("/mcp#a"), 0},
	{"a semicolon", to("/mcp;a"), 0},
	{"a backslash", to(`/a\mcp`), 0},
	{"a slash at the end", to("/mcp/"), 1},
	{"the root", to("/"), 1},
	{"NUL in the target", to("/m\x00cp"), 0},
}
