package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// ServeHTTP answers /mcp, GET /health and, if the node has metrics, GET /metrics.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := (HostCheck{n.Hosts, n.Scrapers}).refusal(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	r = keyed(r)
	switch path := r.URL.Path; {
	case strings.EqualFold(strings.TrimRight(path, "/"), "/mcp"): // some write it in capitals, or with a slash
		n.serveEndpoint(w, r)
	case path == "/health":
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, "GET, HEAD", "GET the agent's health here")
			return
		}
		health, _ := json.Marshal(struct {
			Agent  string `json:"agent"`
			Status string `json:"status"`
			System string `json:"system_id,omitempty"`
		}{n.Sender(), "healthy", n.SystemID})
		writeJSON(w, health)
	case path == "/metrics", path == "/metrics/leagues":
		n.serveMetrics(w, r)
	default:
		if name := lastPart(r.URL.Path); r.Method != http.MethodPost || name != "" && !n.responder.takesNamed(name) {
			http.NotFound(w, r)
			return
		}
		if body, ok := readRequest(w, r, n.MaxBody); ok {
			writeAnswer(w, n.Answer(r.Context(), n.FromOf(r), body))
		}
	}
}

// serveEndpoint answers league.v2 and MCP requests. Without an MCP session only POST is allowed.
func (n *Node) serveEndpoint(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get(sessionHeader) != ""
	switch r.Method {
	case http.MethodPost:
		n.servePost(w, r, session || r.Header.Get(versionHeader) != "")
	case http.MethodGet, http.MethodDelete:
		if session {
			n.mcp.serve(w, r, sessionSide, n.FromOf(r), nil)
			return
		}
		fallthrough
	default:
		notAllowed(w, "POST", "POST a JSON-RPC 2.0 request here")
	}
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// serveMetrics returns the metrics of the agent, if it has any.
func (n *Node) serveMetrics(w http.ResponseWriter, r *http.Request) {
	switch {
	case n.Metrics == nil:
		http.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		notAllowed(w, "GET, HEAD", "GET the agent's metrics here")
	default:
		n.Metrics.ServeHTTP(w, r)
	}
}

// notAllowed refuses a method and names the allowed ones.
func notAllowed(w http.ResponseWriter, allow, what string) {
	w.Header().Set("Allow", allow)
	http.Error(w, what, http.StatusMethodNotAllowed)
}

// servePost answers a POST. marked means that it has MCP headers: its body may then be MCP although it looks like a
// league.v2 message.
func (n *Node) servePost(w http.ResponseWriter, r *http.Request, marked bool) {
	body, ok := readRequest(w, r, n.MaxBody)
	if !ok {
		return
	}
	from := n.FromOf(r)
	body = bytes.TrimLeft(body, " \t\r\n")
	if req, plain := n.responder.readPlain(body); plain && !marked {
		writeAnswer(w, n.responder.answer(r.Context(), from, req))
		return
	}
	if n.responder.challenged(w, r, from, body) {
		return
	}
	if to := sideOf(r, body, n.responder.takes); to != leagueSide {
		n.mcp.serve(w, r, to, from, body)
		return
	}
	writeAnswer(w, n.responder.answerAny(r.Context(), from, body))
}

// ServePost answers a message of one of this program's agents at /mcp.
func (n *Node) ServePost(ctx context.Context, r *Post) (answer []byte, ok bool) {
	path, key := cutKey(r.Path)
	if string(path) != "/mcp" || int64(len(r.Body)) > n.MaxBody || n.public.is(r.Host) {
		return nil, false // net/http handles the headers by which a proxy names its client
	}
	if !(HostCheck{Hosts: n.Hosts}).goesBy(hostname(r.Host), r.Local) {
		return nil, false
	}
	req, plain := n.responder.readPlain(bytes.TrimLeft(r.Body, " \t\r\n"))
	if !plain {
		return nil, false
	}
	req.post = r
	from := From{Addr: r.Remote, Path: "mcp", Token: bearerToken(string(r.Authorization)), Key: string(key)}.withMailbox()
	return n.responder.answer(ctx, from, req), true
}

// cutKey splits a path such as /k/KEY/mcp into the path without the join key, and the key.
func cutKey(path []byte) (rest, key []byte) {
	rest, ok := bytes.CutPrefix(path, []byte("/k/"))
	slash := bytes.IndexByte(rest, '/')
	if !ok || slash < 0 {
		return path, nil
	}
	return rest[slash:], rest[:slash]
}

// FromOf returns the origin of an HTTP request: the caller's address, bearer token and mailbox.
func (n *Node) FromOf(r *http.Request) From {
	key, _ := r.Context().Value(joinKey{}).(string)
	return From{Addr: n.public.addrOf(r), Path: lastPart(r.URL.Path), Token: bearer(r.Header), Key: key}.withMailbox()
}

// joinKey is the context key for the join key in a request's path.
type joinKey struct{}

// keyed moves the join key from a path such as /k/KEY/mcp into the context. So an agent needs only one URL.
func keyed(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, "/k/")
	key, rest, more := strings.Cut(rest, "/")
	if !ok || !more {
		return r
	}
	r = r.WithContext(context.WithValue(r.Context(), joinKey{}, key))
	u := *r.URL
	u.Path, u.RawPath = "/"+rest, ""
	r.URL = &u
	return r
}

// readRequest reads the body of a request, up to limit bytes. If that fails, it writes the
// error response and returns false.
func readRequest(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", limit), http.StatusRequestEntityTooLarge)
		return nil, false
	}
	if err != nil {
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return nil, false
	}
	if len(body) == 0 {
		body = fromQuery(r.URL.Query())
	}
	return body, true
}

// writeAnswer writes an answer, if there is one.
func writeAnswer(w http.ResponseWriter, answer []byte) {
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	writeJSON(w, answer)
}

// fromQuery converts URL query parameters into a JSON body, for clients that send their requests without a body.
func fromQuery(query url.Values) []byte {
	if len(query) == 0 {
		return nil
	}
	members := map[string]string{}
	for name := range query {
		members[name] = query.Get(name)
	}
	body, _ := json.Marshal(members)
	return body
}

// writeJSON sends an answer that must not be cached.
func writeJSON(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = w.Write(b)
}
