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

// An Error is the failure of a request. It does not contain the key.
type Error struct {
	Endpoint string        // without secret parts
	Status   int           // of the response; 0: there was none
	Says     string        // the server's sentence, or the error
	After    time.Duration // the server's retry delay; 0: none

	passes bool // the same request may succeed later
	cause  error
}

// Error returns the server, the status if it was not 200, and the server's message.
func (e *Error) Error() string {
	text := e.Endpoint
	if e.Status != 0 && e.Status != http.StatusOK {
		text += fmt.Sprintf(": status %d", e.Status)
	}
	return text + ": " + e.Says
}

// Unwrap returns the local error that ended the request, if any.
func (e *Error) Unwrap() error { return e.cause }

// longestSentence is the maximum size, in bytes, of a server's message in an error.
const longestSentence = 300

// fault returns the error for a server's response. Its text is truncated and sanitized, and the key is redacted.
func (c *Client) fault(status int, says string) *Error {
	if c.Key != "" {
		says = strings.ReplaceAll(says, c.Key, "(the key)")
	}
	says = protocol.Plain(protocol.Clip(strings.Join(strings.Fields(says), " "), longestSentence))
	return &Error{Endpoint: shown(c.Endpoint), Status: status, Says: says}
}

// unreachable returns the error for a request without a complete response.
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

// errBroken reports that a stream ended before its answer was complete.
var errBroken = errors.New("its answer broke off")

// brokeOff reports whether an error means that an answer was truncated.
func brokeOff(err error) bool {
	broken := (net.Error)(nil)
	return errors.Is(err, errBroken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken)
}

// A refusalError reports that the model has declined to answer.
type refusalError struct{ Says string }

func (r *refusalError) Error() string { return "the model refuses: " + r.Says }

// refused returns the error for a response whose status is not 200.
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

// sentence extracts the message from the body of an error response.
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

// retryAfter parses a Retry-After header, which is a number of seconds or a date. It returns the delay.
func retryAfter(header string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(strings.TrimSpace(header), 64); err == nil {
		return time.Duration(min(max(s, 0), float64(24*3600)) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
