package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// MaxHeader is the maximum size of an answer's header in bytes.
const MaxHeader = 16 << 10

// maxInterim is the maximum number of 1xx responses before the final one.
const maxInterim = 5

// posting is the request that [http.ReadResponse] needs for parsing an answer.
var posting = &http.Request{Method: http.MethodPost}

// general parses an answer with the standard library. begun are the bytes that were already read, and failed is the
// error of that read, or nil if conn can still be read. again reports whether the connection can be reused.
func general(conn net.Conn, begun []byte, failed error, limit int64) (status int, answer []byte, again bool, err error) {
	from := &rest{conn: conn, begun: begun, failed: failed, left: MaxHeader - len(begun)}
	in := bufio.NewReaderSize(from, 2<<10)
	resp, err := response(in)
	if err != nil {
		return 0, nil, false, err
	}
	from.left = int(^uint(0) >> 1)
	answer, err = ReadBody(resp, limit)
	again = !resp.Close && resp.StatusCode >= 200 && in.Buffered() == 0 && len(from.begun) == 0
	return resp.StatusCode, answer, again, err
}

// response reads the header of an answer.
func response(in *bufio.Reader) (*http.Response, error) {
	for range maxInterim {
		resp, err := http.ReadResponse(in, posting)
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
	return nil, errors.New("the server sent too many interim answers")
}

// A rest returns the bytes that were already read, and then reads from the connection. It limits the size of the
// header.
type rest struct {
	conn   net.Conn
	begun  []byte
	failed error
	left   int // how many bytes may still be read before the header must have ended
}

// Read fails after r.left bytes, the limit for the header: [http.ReadResponse] has none.
func (r *rest) Read(b []byte) (int, error) {
	switch {
	case len(r.begun) > 0:
		n := copy(b, r.begun)
		r.begun = r.begun[n:]
		return n, nil
	case r.failed != nil:
		return 0, r.failed
	case r.left <= 0:
		return 0, fmt.Errorf("the answer's header is larger than %d bytes", MaxHeader)
	}
	n, err := r.conn.Read(b)
	r.left -= n
	return n, err
}

// ReadBody reads the body of an answer. It fails if the body is larger than limit bytes.
func ReadBody(resp *http.Response, limit int64) ([]byte, error) {
	n := resp.ContentLength
	if n > limit {
		return nil, TooLarge(limit)
	}
	if n >= 0 && n <= atOnce {
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = TooLarge(limit)
	}
	return body, err
}
