package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"agentleague/protocol"
)

// An Error is a request that brought no answer. It holds no key.
type Error struct {
	Endpoint string        // without secret parts
	Status   int           // of the response; 0: there was none
	Says     string        // the server's sentence, or the error
	After    time.Duration // the server's retry delay; 0: none

	passes bool // the same request may succeed later
	cause  error
}

// Error names the server, the status if it was not 200, and the server's sentence.
func (e *Error) Error() string {
	text := e.Endpoint
	if e.Status != 0 && e.Status != http.StatusOK {
		text += fmt.Sprintf(": status %d", e.Status)
	}
	return text + ": " + e.Says
}

// Unwrap returns the local error that ended the request, if any.
func (e *Error) Unwrap() error { return e.cause }

// longestSentence limits the stored bytes of a server's error.
const longestSentence = 300

// fault is an error of the server. Its text is truncated and sanitized, and the key is redacted.
func (c *Client) fault(status int, says string) *Error {
	if c.Key != "" {
		says = strings.ReplaceAll(says, c.Key, "(the key)")
	}
	says = protocol.Plain(protocol.Clip(strings.Join(strings.Fields(says), " "), longestSentence))
	return &Error{Endpoint: shown(c.Endpoint), Status: status, Says: says}
}

// unreachable is the error of a request without a whole response.
func (c *Client) unreachable(ctx context.Context, err error) *Error {
	e := c.fault(0, "it did not answer in time")
	e.cause = context.Cause(ctx)
	if ctx.Err() == nil {
		wrapped := (*url.Error)(nil)
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, in which a key may be
		}
		e = c.fault(0, err.Error())
		e.passes = true
	}
	return e
}

// errBroken is a stream that ended before its answer did.
var errBroken = errors.New("its answer broke off")

// brokeOff reports whether an answer ended too early.
func brokeOff(err error) bool {
	broken := (net.Error)(nil)
	return errors.Is(err, errBroken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken)
}

// A Refusal is an answer in which the model declines.
type Refusal struct{ Says string }

func (r *Refusal) Error() string { return "the model refuses: " + r.Says }

// refused is the error of a response that is none of success.
func (c *Client) refused(response *http.Response) *Error {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	e := c.fault(response.StatusCode, sentence(text, response.StatusCode))
	e.After = retryAfter(response.Header.Get("Retry-After"), time.Now())
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests, 529:
		e.passes = true
	default:
		e.passes = response.StatusCode >= 500 && response.StatusCode != http.StatusNotImplemented
	}
	return e
}

// sentence finds the sentence in a server's error.
func sentence(body []byte, status int) string {
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	_ = json.Unmarshal(body, &said) // text that is not JSON is shown literally
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(said.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	for _, raw := range []json.RawMessage{said.Error, said.Detail} {
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
	}
	switch {
	case said.Message != "":
		return said.Message
	case len(said.Detail) > 0:
		return string(said.Detail)
	case len(strings.TrimSpace(string(body))) > 0:
		return string(body)
	}
	return http.StatusText(status)
}

// retryAfter reads a header of that name: seconds, or a time.
func retryAfter(header string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil {
		return time.Duration(min(max(s, 0), float64(24*3600)) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
