package gate

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"
)

// posted is a request as our own agents write it.
const posted = "POST /mcp HTTP/1.1\r\nHost: localhost:8001\r\nUser-Agent: league\r\nContent-Type: application/json\r\n" +
	"Accept: application/json, text/event-stream\r\nContent-Length: 2\r\n\r\n{}"

func TestRequestsOfOurAgentsArePlain(t *testing.T) {
	h, ok := readHead([]byte(posted))
	if !ok || string(h.path) != "/mcp" || string(h.host) != "localhost:8001" ||
		h.size+h.length != len(posted) || h.length != 2 {
		t.Errorf("got %+v, %v", h, ok)
	}
}

func TestHeadThatIsNotCompleteIsNotPlain(t *testing.T) {
	for n := range len(posted) - 2 {
		if _, ok := readHead([]byte(posted[:n])); ok {
			t.Errorf("%d bytes are taken for a head", n)
		}
	}
}

// FuzzReadHead compares accepted requests with net/http, which has to read exactly the same request, and to leave the
// same bytes after it.
func FuzzReadHead(f *testing.F) {
	f.Add([]byte(posted))
	for _, c := range corpus {
		f.Add([]byte(c.sent))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		kept := bytes.Clone(b)
		h, ok := readHead(b)
		if !bytes.Equal(b, kept) {
			t.Fatal("the buffer was changed")
		}
		if !ok || len(b) < h.size+h.length {
			return
		}
		size := h.size + h.length
		in := bufio.NewReader(bytes.NewReader(b))
		std, err := http.ReadRequest(in)
		if err != nil {
			t.Fatalf("net/http refuses it: %v: %q", err, b)
		}
		body, err := io.ReadAll(std.Body)
		left, _ := io.ReadAll(in)
		switch {
		case err != nil || !bytes.Equal(body, b[h.size:size]):
			t.Fatalf("the body is %q, net/http reads %q, %v", b[h.size:size], body, err)
		case std.Method != "POST", std.Proto != "HTTP/1.1", std.RequestURI != string(h.path), std.URL.Path != string(h.path),
			std.URL.RawPath != "", std.URL.RawQuery != "", std.URL.Host != "", std.Host != string(h.host):
			t.Fatalf("net/http reads %s %s %s of %s: %q", std.Method, std.RequestURI, std.Proto, std.Host, b)
		case std.Close, len(std.TransferEncoding) > 0, std.Trailer != nil, std.ContentLength != int64(h.length):
			t.Fatalf("net/http reads %+v: %q", std, b)
		case std.Header.Get("Authorization") != string(h.token):
			t.Fatalf("net/http reads %v, the gate %q: %q", std.Header, h.token, b)
		case !bytes.Equal(left, b[size:]):
			t.Fatalf("net/http leaves %q, the gate %q", left, b[size:])
		}
		for name, values := range std.Header {
			if named([]byte(name)) == 0 || len(values) != 1 {
				t.Fatalf("the gate does not know %s: %q", name, values)
			}
		}
	})
}
