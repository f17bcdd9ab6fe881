package check

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"agentleague/rpc"
)

// A wire exchanges raw HTTP and JSON-RPC with the agent, independently of any dialect.
type wire struct {
	peer     rpc.Peer
	network  recorder
	client   *http.Client
	patience time.Duration
	strict   bool

	probe   sync.Once
	jsonRPC bool // known after probe
}

// placed returns an endpoint with its path replaced; an empty path keeps the endpoint.
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

// fetch sends a request with an HTTP client of its own, and records and returns the exchange with the response header.
// After a GET it does not read an event stream, which has no end.
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

// ping returns a JSON-RPC ping with the given id, which is inserted as raw JSON.
func ping(id string) string { return `{"jsonrpc":"2.0","method":"ping","params":{},"id":` + id + `}` }

// speaksRPC reports whether the agent answers a JSON-RPC request in JSON-RPC form. A strict check assumes that.
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

// call posts a JSON-RPC request and returns the answer. The finding is not a pass if there is none to judge.
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

// echoes expects the id of a request to come back byte for byte: some clients compare 1.50 and 1.5 as texts.
func (w *wire) echoes(ctx context.Context, id string) finding {
	x, a, f := w.call(ctx, ping(id))
	return first(f, a.is(id)).in(x)
}

// An rpcAnswer is an answer by its members.
type rpcAnswer map[string]json.RawMessage

// parseAnswer returns the raw members of a JSON object, or nil if body is none.
func parseAnswer(body []byte) (a rpcAnswer) {
	_ = json.Unmarshal(body, &a)
	return a
}

func (a rpcAnswer) has(name string) bool { v, ok := a[name]; return ok && string(v) != "null" }

// is expects an answer to be JSON-RPC with the given id.
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

// sameID reports whether two ids are equal. Strings may be escaped differently.
func sameID(got json.RawMessage, want string) bool {
	var a, b string
	if want[0] == '"' && json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil {
		return a == b
	}
	return string(got) == want
}
