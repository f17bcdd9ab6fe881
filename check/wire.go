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
