package check

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A wire exchanges HTTP and JSON-RPC with the agent, below any dialect.
type wire struct {
	peer     rpc.Peer
	network  recorder
	client   *http.Client
	patience time.Duration
	strict   bool

	probe   sync.Once
	jsonRPC bool // known after probe
}

// placed returns an endpoint with another path, if one is given.
func placed(endpoint, path string) string {
	u, err := url.Parse(endpoint)
	if path == "" || err != nil {
		return endpoint
	}
	u.Path = path
	return u.String()
}

// page returns the address of another page of the agent.
func (w *wire) page(path string) string { return placed(w.peer.Endpoint, path) }

// post sends a body as it is.
func (w *wire) post(ctx context.Context, body string) *exchange {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	x := &exchange{verb: http.MethodPost, url: w.peer.Endpoint, sent: []byte(body)}
	x.status, x.got, x.err = w.network.Post(ctx, x.url, "", x.sent)
	return x
}

// fetch sends a request outside the network of the league and records the exchange with its header. An event stream
// has no end, so it is not read after a GET.
func (w *wire) fetch(ctx context.Context, verb, url, body string) (*exchange, http.Header) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	x := &exchange{verb: verb, url: url, sent: []byte(body)}
	defer w.network.note(ctx, x)
	req, err := http.NewRequestWithContext(ctx, verb, url, strings.NewReader(body))
	if err != nil {
		x.err = err
		return x, nil
	}
	if verb == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		x.err = err
		return x, nil
	}
	defer resp.Body.Close()
	x.status = resp.StatusCode
	x.stream = strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if verb == http.MethodPost || !x.stream {
		x.got, x.err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	}
	return x, resp.Header
}

// get requests a page of the agent.
func (w *wire) get(ctx context.Context, url string) *exchange {
	x, _ := w.fetch(ctx, http.MethodGet, url, "")
	return x
}

// ping returns a request with the given id, which has to come back byte for byte.
func ping(id string) string { return `{"jsonrpc":"2.0","method":"ping","params":{},"id":` + id + `}` }

// speaksRPC reports whether the agent answers JSON-RPC with anything like it. A strict check assumes it.
func (w *wire) speaksRPC(ctx context.Context) bool {
	if w.strict {
		return true
	}
	w.probe.Do(func() {
		a := parseAnswer(w.post(ctx, ping("6")).got)
		w.jsonRPC = a.has("jsonrpc") && (a.has("result") || a.has("error"))
	})
	return w.jsonRPC
}

// call posts a request and returns the answer, or why there is nothing to judge.
func (w *wire) call(ctx context.Context, body string) (*exchange, rpcAnswer, finding) {
	if !w.speaksRPC(ctx) {
		return nil, nil, skip("the agent does not speak JSON-RPC")
	}
	x := w.post(ctx, body)
	if x.err != nil {
		return x, nil, differ("it gave no answer: %v", x.err).in(x)
	}
	return x, parseAnswer(x.got), pass.in(x)
}

// echoes checks that an id comes back byte for byte: 1.50 is not 1.5 to a client that compares texts.
func (w *wire) echoes(ctx context.Context, id string) finding {
	x, a, f := w.call(ctx, ping(id))
	return first(f, a.is(id)).in(x)
}

// An rpcAnswer is an answer by its members.
type rpcAnswer map[string]json.RawMessage

// parseAnswer reads the members of an answer as they are written; nil if it is no object.
func parseAnswer(body []byte) (a rpcAnswer) {
	_ = json.Unmarshal(body, &a)
	return a
}

func (a rpcAnswer) has(name string) bool { v, ok := a[name]; return ok && string(v) != "null" }

// is judges whether an answer is JSON-RPC with that id.
func (a rpcAnswer) is(id string) finding {
	switch {
	case a == nil:
		return differ("the answer is not a JSON object")
	case string(a["jsonrpc"]) != `"2.0"`:
		return differ(`want "jsonrpc":"2.0" in the answer`)
	case a.has("result") == a.has("error"):
		return differ("want either result or error in the answer")
	case !sameID(a["id"], id):
		got := "has none"
		if a["id"] != nil {
			got = redacted(a["id"])
		}
		return differ("the request has the id %s, the answer %s", id, got)
	}
	return pass
}

// sameID compares ids. Strings may be escaped in another way.
func sameID(got json.RawMessage, want string) bool {
	var a, b string
	if want[0] == '"' && json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil {
		return a == b
	}
	return string(got) == want
}

// wireSteps judge HTTP and JSON-RPC 2.0, which are the same for every role.
func wireSteps() map[string]judge {
	return map[string]judge{
		"01": health, "02": healthAgent, "03": getRefused, "04": answersRPC, "05": pongs, "12": batch, "17": oversized,
		"18": contentType,
	}
}

// contentType checks the header of an answer. Agents ignore it, but browsers and proxies do not, and a wrong type
// often comes with a wrong body.
func contentType(ctx context.Context, s *session) finding {
	if !s.wire.speaksRPC(ctx) {
		return skip("the agent does not speak JSON-RPC")
	}
	x, header := s.wire.fetch(ctx, http.MethodPost, s.wire.peer.Endpoint, ping("1800"))
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case x.err != nil:
		return differ("it gave no answer: %v", x.err).in(x)
	case kind == "application/json" || kind == "text/event-stream": // of an MCP server
		return pass.in(x)
	}
	return differ("want the content type application/json, got %q", header.Get("Content-Type")).in(x)
}

// health checks the page for people and monitoring; a league is played without it.
func health(ctx context.Context, s *session) finding {
	x := s.wire.get(ctx, s.wire.page("/health"))
	var page struct{ Status string }
	_ = json.Unmarshal(x.got, &page)
	switch {
	case x.err != nil:
		return fail("it gave no answer: %v", x.err)
	case x.status != http.StatusOK:
		return differ("want status 200, got %d", x.status)
	case page.Status != "healthy":
		return differ(`want {"status":"healthy", …}`)
	}
	return pass
}

// healthAgent checks the agent's name at /health.
func healthAgent(ctx context.Context, s *session) finding {
	var page struct{ Agent string }
	_ = json.Unmarshal(s.wire.get(ctx, s.wire.page("/health")).got, &page)
	if !saneSender(page.Agent, s.role) {
		return differ("want the member agent with a sender such as %s, got %q", exampleSender(s.role), page.Agent)
	}
	return pass
}

// getRefused expects that a GET is answered at once. MCP servers have streams there.
func getRefused(ctx context.Context, s *session) finding {
	x := s.wire.get(ctx, s.wire.peer.Endpoint)
	if x.err != nil || x.status < 400 && !x.stream || x.status == http.StatusNotFound || x.status >= 500 {
		return advise("want status 405, got %d", x.status)
	}
	return pass
}

// answersRPC checks the JSON-RPC frame. A third-party agent may answer without it, which is understood and reported.
func answersRPC(ctx context.Context, s *session) finding {
	if !s.wire.speaksRPC(ctx) {
		return differ("the answer to a JSON-RPC request is not JSON-RPC")
	}
	return s.wire.echoes(ctx, "7")
}

// pongs expects the answer to a ping to be a message with a type, which shows its dialect.
func pongs(ctx context.Context, s *session) finding {
	x, a, f := s.wire.call(ctx, ping("8"))
	if f.level != passes {
		return f
	}
	var pong struct {
		Type protocol.Type `json:"message_type"`
	}
	_ = json.Unmarshal(a["result"], &pong)
	if pong.Type != protocol.TypePong {
		return differ("want a PONG message in result").in(x)
	}
	return pass
}

// batch accepts the answers in any order, since each is identified by its id.
func batch(ctx context.Context, s *session) finding {
	x, _, f := s.wire.call(ctx, "["+ping("21")+","+ping("22")+"]")
	if f.level != passes {
		return f
	}
	var answers []rpcAnswer
	_ = json.Unmarshal(x.got, &answers)
	for _, id := range []string{"21", "22"} {
		if !slices.ContainsFunc(answers, func(a rpcAnswer) bool { return string(a["id"]) == id }) {
			return differ("want an array with an answer to each of the 2 requests")
		}
	}
	return pass
}

// oversized sends more than any client needs. Closing the connection is right as well.
func oversized(ctx context.Context, s *session) finding {
	x := s.wire.post(ctx, `{"jsonrpc":"2.0","method":"ping","params":{"fill":"`+strings.Repeat("x", 1<<20+1<<10)+`"},"id":9}`)
	if parseAnswer(x.got).has("result") {
		return advise("a body of %d bytes was accepted", len(x.sent))
	}
	if s.wire.get(ctx, s.wire.page("/health")).err != nil {
		return fail("it no longer answers after a body of %d bytes", len(x.sent)).in(x)
	}
	return pass
}

// An expectation is the answer that a posted body is to have.
type expectation struct {
	body   string
	code   int    // of the error; 0: any answer
	id     string // "": any
	status int    // 0: any
	empty  bool   // a notification has no answer
}

// judge posts the body and compares the answer.
func (e expectation) judge(ctx context.Context, w *wire) finding {
	x, a, f := w.call(ctx, e.body)
	if f.level != passes {
		return f
	}
	var failure struct{ Code int }
	_ = json.Unmarshal(a["error"], &failure)
	switch {
	case e.empty && (x.status/100 != 2 || len(bytes.TrimSpace(x.got)) > 0):
		return differ("want status 202 and no body, got %d and %d bytes", x.status, len(x.got))
	case e.status != 0 && x.status != e.status:
		return differ("want status %d, got %d", e.status, x.status)
	case e.code != 0 && failure.Code != e.code:
		f = differ("want the error %d", e.code)
	}
	if e.id != "" {
		f = first(f, a.is(e.id))
	}
	return f.in(x)
}

// parse reads a line of a script below the one that posts the body.
func (e *expectation) parse(key, value string) (err error) {
	switch key {
	case "error":
		code, id, _ := strings.Cut(value, " ")
		e.id = id
		e.code, err = strconv.Atoi(code)
	case "status":
		e.status, err = strconv.Atoi(value)
	case "none":
		e.empty = true
	}
	return err
}
