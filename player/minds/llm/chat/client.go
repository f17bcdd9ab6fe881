package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"agentleague/protocol"
)

// Ask returns the model's answer. Temporary errors, such as a rate limit or a broken connection, are retried with
// backoff. The deadline of ctx applies to all tries together; a retry whose delay would exceed it is not made. tries is
// the number of requests sent. The tokens in the answer are the total of all requests, also if Ask returns an error.
func (c *Client) Ask(ctx context.Context, r Request) (a Answer, tries int, err error) {
	var spent Tokens
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		a, err = c.once(ctx, r)
		tries++
		spent = spent.Plus(a.Tokens)
		a.Tokens = spent
		fault := (*Error)(nil)
		if err == nil || !errors.As(err, &fault) || tries == cmp.Or(c.Tries, maxTries) {
			return a, tries, err
		}
		if c.adapts(fault) {
			continue
		}
		if !fault.passes || wait(ctx, max(pause, fault.After)) != nil {
			return a, tries, err
		}
	}
}

// maxTries limits the requests of one Ask. The pauses between them double from firstPause to longestPause. An answer
// has at most maxBody bytes.
const (
	maxTries     = 6
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
	maxBody      = 4 << 20
)

// wait waits for d. It returns an error at once if ctx would end before that.
func wait(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// adapts reports whether an error is caused by a field that the server does not support and that can be replaced or
// omitted. If so, it changes the form of all further requests of the client.
func (c *Client) adapts(e *Error) bool {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	if strings.Contains(e.Says, "max_completion_tokens") && c.renamed.CompareAndSwap(false, true) {
		return true
	}
	for _, word := range []string{"response_format", "json_schema", "output_config", "schema", "grammar"} {
		if strings.Contains(e.Says, word) && c.plain.CompareAndSwap(false, true) {
			return true
		}
	}
	return false
}

// once sends one request.
func (c *Client) once(ctx context.Context, r Request) (Answer, error) {
	request, err := c.request(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	response, err := c.http().Do(request)
	if err != nil {
		return Answer{}, c.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return Answer{}, c.refused(response)
	}
	a, received, err := c.read(response)
	a.bound(int(request.ContentLength), received, r.MaxTokens)
	switch {
	case err != nil && ctx.Err() != nil:
		return a, c.unreachable(ctx, err)
	case err != nil:
		e := c.fault(response.StatusCode, err.Error())
		e.passes = brokeOff(err)
		return a, e
	case a.refusal != "":
		return a, &refusalError{protocol.Plain(protocol.Clip(a.refusal, longestSentence))}
	case strings.TrimSpace(a.Text) == "":
		e := c.fault(response.StatusCode, "it gave no answer")
		e.passes = true
		return a, e
	}
	return a, nil
}

// request returns the HTTP request, with the key in its header. The error for an invalid endpoint has the key redacted.
func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body any = c.completion(r)
	if c.API == Anthropic {
		body = c.message(r)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: no request can be made of it", shown(c.Endpoint))
	}
	request.Header.Set("Content-Type", "application/json")
	c.identify(request)
	return request, nil
}

// identify shows the key.
func (c *Client) identify(request *http.Request) {
	if c.API == Anthropic {
		request.Header.Set("anthropic-version", "2023-06-01")
	}
	switch {
	case c.Key == "":
	case c.API == Anthropic:
		request.Header.Set("x-api-key", c.Key)
	default:
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
}

// read parses an answer, whole or streamed, and returns the number of bytes received.
func (c *Client) read(response *http.Response) (a Answer, received int, err error) {
	body := &limited{from: response.Body, left: maxBody}
	a, err = c.readBody(response, body)
	return a, maxBody - body.left, err
}

// readBody parses a body according to its Content-Type.
func (c *Client) readBody(response *http.Response, body io.Reader) (Answer, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	streamed := kind == "text/event-stream"
	switch {
	case streamed && c.API == Anthropic:
		return readMessageEvents(body)
	case streamed:
		return readChunks(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return Answer{}, err
	}
	if c.API == Anthropic {
		return readMessage(text)
	}
	return readCompletion(text)
}

// limited is a body that may not be too long.
type limited struct {
	from io.Reader
	left int
}

// Read fails once more bytes than the limit were read.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("its answer is longer than %d MiB", maxBody>>20)
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// http returns the caller's HTTP client, or a default that follows no redirects.
func (c *Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return loyal
}

// loyal follows no redirects, which could send the key to another host.
var loyal = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
