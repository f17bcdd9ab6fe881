package rpc

import (
	"context"
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
	"sync"
	"time"

	"agentleague/protocol"
)

// ServeHTTP answers POST /mcp, GET /health and, of a node that has any to show, GET /metrics.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch strings.ToLower(r.URL.Path) {
	case "/mcp":
		if r.Method != http.MethodPost {
			notAllowed(w, "POST", "POST a JSON-RPC 2.0 request here")
			return
		}
		n.servePost(w, r)
	case "/health":
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, "GET, HEAD", "GET the agent's health here")
			return
		}
		health, _ := json.Marshal(map[string]string{"status": "healthy", "agent": n.Sender()})
		writeJSON(w, health)
	case "/metrics":
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

// A Server is a port that is taken, and then served. Calls that come in
// between wait.
type Server struct {
	http      *http.Server
	listeners []net.Listener

	mu    sync.Mutex
	fresh map[net.Conn]bool // connections that have not been used
}

// Listen opens port on the loopback addresses of both families, since
// "localhost" may mean either. Port 0 takes one that is free on both. On a
// machine without IPv6 one family is enough.
func Listen(port int) (*Server, error) {
	listeners, err := loopback(port)
	for try := 1; err != nil && port == 0 && try < 10; try++ { // what is free on one family may be taken on the other
		listeners, err = loopback(port)
	}
	if err != nil {
		return nil, err
	}
	return newServer(listeners), nil
}

func newServer(listeners []net.Listener) *Server {
	s := &Server{listeners: listeners, fresh: map[net.Conn]bool{}}
	s.http = &http.Server{
		ConnState:         s.note,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	return s
}

// note keeps track of connections that a client has opened and not used: a
// shutdown would wait for their first request.
func (s *Server) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.fresh, c)
	if state == http.StateNew {
		s.fresh[c] = true
	}
}

func (s *Server) closeUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.fresh {
		_ = c.Close()
	}
}

func loopback(port int) ([]net.Listener, error) {
	first, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	second, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", first.Addr().(*net.TCPAddr).Port))
	if err == nil {
		return []net.Listener{first, second}, nil
	}
	if other, gone := net.Listen("tcp6", "[::1]:0"); gone == nil { // there is IPv6, so the port is taken
		_ = other.Close()
		_ = first.Close()
		return nil, err
	}
	return []net.Listener{first}, nil
}

// Port returns the port that is served.
func (s *Server) Port() int { return s.listeners[0].Addr().(*net.TCPAddr).Port }

// URL returns the endpoint to register.
func (s *Server) URL() string { return fmt.Sprintf("http://localhost:%d/mcp", s.Port()) }

// Close gives the port back without serving it.
func (s *Server) Close() error {
	var err error
	for _, l := range s.listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Serve lets h answer until ctx ends, then gives open requests a moment to
// finish. All listeners are closed when it returns.
func (s *Server) Serve(ctx context.Context, h http.Handler) error {
	s.http.Handler = h
	ended := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() { ended <- s.http.Serve(l) }()
	}
	open := len(s.listeners)
	var err error
	select {
	case err = <-ended:
		open--
		_ = s.http.Close()
	case <-ctx.Done():
		s.shutdown(ctx)
	}
	for range open {
		<-ended
	}
	return err
}

// shutdown ends the server, and requests that take longer than the moment with it.
func (s *Server) shutdown(ctx context.Context) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	s.closeUnused()
	if s.http.Shutdown(grace) != nil {
		_ = s.http.Close()
	}
}
