package wire

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

const ours = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 16 Nov 2026 02:42:00 GMT\r\n" +
	"Content-Length: 2\r\n\r\n{}"

// answers are whole answers of every kind: ours and others', right and wrong.
var answers = []string{
	ours,
	ours + "x",
	ours + ours,
	"HTTP/1.1 404 \r\ncontent-length:1\r\nconnection: Keep-Alive\r\n\r\nx",
	"HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 007\r\n\r\n1234567",
	"HTTP/1.1 200 OK\r\nX_y:\r\nContent-Length: 1   \r\n\r\n1",
	"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
	"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 0x1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: \t1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nshorter than it says",
	"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nTrailer: A\r\nContent-Length: 1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\n1",
	"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n1",
	"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\n\n{}\r\n\r\n",
	"HTTP/1.1 200 OK\r\nA:\x00\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nA:\xff\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 O\rK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 -20 OK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 101 Switching Protocols\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 100 Continue\r\n\r\n" + ours,
	"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ours,
	strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 9) + ours,
	"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n",
	"HTTP/1.0 200 OK\r\n\r\n{}",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
	"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
	"http/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", headRoom) + "\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*MaxHeader),
	"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("y", 9000),
	"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("y", 9001),
	"HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + strings.Repeat("z", 70000),
	"HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + strings.Repeat("z", 60000),
	"SSH-2.0-OpenSSH\r\n",
	"\r\n",
	"",
}

// FuzzHead compares accepted heads with the standard library.
func FuzzHead(f *testing.F) {
	for _, text := range answers {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, v := readHead(b)
		if v != whole || len(b) < h.size+h.length {
			return
		}
		in := bufio.NewReader(bytes.NewReader(b))
		resp, err := http.ReadResponse(in, posting)
		if err != nil {
			t.Fatalf("the standard library refuses it: %v: %q", err, b)
		}
		body, err := io.ReadAll(resp.Body)
		rest, _ := io.ReadAll(in)
		if err != nil || resp.StatusCode != h.status || resp.Close || !bytes.Equal(body, b[h.size:h.size+h.length]) ||
			!bytes.Equal(rest, b[h.size+h.length:]) {
			t.Fatalf("%v: got %+v, want status %d, close %v, body %q, rest %q: %q", err, h, resp.StatusCode, resp.Close, body,
				rest, b)
		}
	})
}

// A complete head stays the same when more data arrives; a head that is not plain never becomes plain.
func TestHeadIsTheSameHoweverOftenItIsLookedAt(t *testing.T) {
	for _, text := range answers {
		was := more
		for n := range min(len(text), 1000) + 1 {
			_, v := readHead([]byte(text[:n]))
			if was != more && v != was {
				t.Errorf("%q: verdict %d became %d", text[:n], was, v)
			}
			was = v
		}
	}
}

// FuzzExchange holds a call against the standard library's reading of the same bytes, which come in two pieces and end
// with a hang-up.
func FuzzExchange(f *testing.F) {
	for _, text := range answers {
		f.Add([]byte(text), 20)
	}
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		at = min(max(at, 0), len(b))
		want := heard(t, b, at, func(c net.Conn) (int, []byte, bool, error) { return general(c, nil, nil, 1<<20) })
		got := heard(t, b, at, func(c net.Conn) (int, []byte, bool, error) {
			w := newWire(c)
			return w.exchange(&Target{path: "/"}, nil, 1<<20)
		})
		got.same(t, want, b)
	})
}

// An outcome is the result of reading an answer.
type outcome struct {
	status int
	body   []byte
	again  bool
	err    error
}

// same holds an outcome against the standard library's. A connection need not be kept for another call: something may
// follow the answer.
func (o outcome) same(t *testing.T, want outcome, text []byte) {
	t.Helper()
	again := o.again && o.err == nil && (!want.again || want.err != nil)
	if o.status != want.status || again || (o.err == nil) != (want.err == nil) || o.err == nil && !bytes.Equal(o.body, want.body) {
		t.Errorf("%.200q: got %d %.80q %v %v, want %d %.80q %v %v", text, o.status, o.body, o.again, o.err,
			want.status, want.body, want.again, want.err)
	}
}

// heard reads an answer that arrives in two pieces over a pipe.
func heard(t *testing.T, b []byte, at int, read func(net.Conn) (int, []byte, bool, error)) (o outcome) {
	t.Helper()
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		go func() { _, _ = io.Copy(io.Discard, there) }()
		_, _ = there.Write(b[:at])
		_, _ = there.Write(b[at:])
		_ = there.Close()
	}()
	o.status, o.body, o.again, o.err = read(here)
	_ = here.Close()
	<-ended
	return o
}
