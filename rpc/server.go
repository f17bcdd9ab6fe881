package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// ServeHTTP answers POST /mcp, GET /health and, of a node that has any to show, GET /metrics.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.EqualFold(strings.TrimRight(path, "/"), "/mcp"): // some write it in capitals, or with a slash
		if r.Method != http.MethodPost {
			notAllowed(w, "POST", "POST a JSON-RPC 2.0 request here")
			return
		}
		n.servePost(w, r)
	case path == "/health":
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, "GET, HEAD", "GET the agent's health here")
			return
		}
		health, _ := json.Marshal(map[string]string{"status": "healthy", "agent": n.Sender()})
		writeJSON(w, health)
	case path == "/metrics":
		n.serveMetrics(w, r)
	default:
		if r.Method != http.MethodPost || !n.answersAt(lastPart(r.URL.Path)) {
			http.NotFound(w, r)
			return
		}
		n.servePost(w, r)
	}
}

// answersAt reports whether messages are taken at a path: at the root, and
// where the path names one that this agent takes, such as /register.
func (n *Node) answersAt(name string) bool {
	return name == "" || slices.ContainsFunc(protocol.TypesNamed(name), n.takes)
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

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

func notAllowed(w http.ResponseWriter, allow, what string) {
	w.Header().Set("Allow", allow)
	http.Error(w, what, http.StatusMethodNotAllowed)
}

func (n *Node) servePost(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, n.MaxBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", n.MaxBody), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return
	}
	if len(body) == 0 {
		body = fromQuery(r.URL.Query())
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	answer := n.Answer(r.Context(), From{Addr: host, Path: lastPart(r.URL.Path)}, body)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	writeJSON(w, answer)
}

// fromQuery makes a body of the query of a request that has none: some call so.
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

func writeJSON(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = w.Write(b)
}
