package rpc

import (
	"fmt"
	"io"
	"net/http"
)

// maxHeader is how many bytes the header of an answer may have.
const maxHeader = 16 << 10

// atOnce is up to how many bytes there is room made for an answer because it
// says that it has so many. More has to be sent to be believed.
const atOnce = 64 << 10

// readBody reads an answer of at most limit bytes.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	n := resp.ContentLength
	if n > limit {
		return nil, tooLarge(limit)
	}
	if n >= 0 && n <= atOnce {
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = tooLarge(limit)
	}
	return body, err
}

func tooLarge(limit int64) error { return fmt.Errorf("the answer is larger than %d bytes", limit) }
