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

// Ask returns the model's answer. Temporary errors, such as a rate limit or a broken connection, are retried while
// ctx allows: its deadline is for all tries together, and a retry that cannot finish before it is not made. Tries is
// the number of requests; the answer's tokens are those of all of them, also with an error.
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

// A server that is busy is asked up to maxTries times, with pauses that double from firstPause to longestPause, if
// the deadline allows. An answer has at most maxBody bytes.
const (
	maxTries     = 6
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
	maxBody      = 4 << 20
)

// wait waits, unless ctx ends before that would be over.
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

// adapts reports whether a request that a server did not understand can be put in another way, and does so from now on.
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
		return a, &Refusal{protocol.Plain(protocol.Clip(a.refusal, longestSentence))}
	case strings.TrimSpace(a.Text) == "":
		e := c.fault(response.StatusCode, "it gave no answer")
		e.passes = true
		return a, e
	}
	return a, nil
}

// request is one call of the server, with the key in its header. An endpoint that is none is named without the key
// that could be in it.
func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body any = c.completion(r)
	if c.Kind == Anthropic {
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
	if c.Kind == Anthropic {
		request.Header.Set("anthropic-version", "2023-06-01")
	}
	switch {
	case c.Key == "":
	case c.Kind == Anthropic:
		request.Header.Set("x-api-key", c.Key)
	default:
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
}

// read understands an answer, whole or streamed, and returns how many bytes it had.
func (c *Client) read(response *http.Response) (a Answer, received int, err error) {
	body := &limited{from: response.Body, left: maxBody}
	a, err = c.readBody(response, body)
	return a, maxBody - body.left, err
}

// readBody understands a body as the headers of its response describe it.
func (c *Client) readBody(response *http.Response, body io.Reader) (Answer, error) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	streamed := kind == "text/event-stream"
	switch {
	case streamed && c.Kind == Anthropic:
		return readMessageEvents(body)
	case streamed:
		return readChunks(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return Answer{}, err
	}
	if c.Kind == Anthropic {
		return readMessage(text)
	}
	return readCompletion(text)
}

// limited is a body that may not be too long.
type limited struct {
	from io.Reader
	left int
}

// Read fails if the answer is longer than the limit.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("its answer is longer than %d MiB", maxBody>>20)
	}
	n, err := l.from.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// http is the client to use: the caller's, or one that follows no redirects.
func (c *Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return loyal
}

// loyal follows no redirect: it would send the key to another host.
var loyal = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
