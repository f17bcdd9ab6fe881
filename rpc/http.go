package rpc

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// HTTP is the network between machines.
type HTTP struct {
	client  *http.Client
	maxBody int64
}

// NewHTTP returns a network that reads answers of at most maxBody bytes. It
// follows no redirect and uses no proxy.
func NewHTTP(maxBody int64) *HTTP {
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
		DisableCompression:     true,
	}
	return &HTTP{maxBody: maxBody, client: &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Post sends body to url.
func (h *HTTP) Post(ctx context.Context, url, _ string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, h.maxBody+1))
	if err == nil && int64(len(answer)) > h.maxBody {
		err = fmt.Errorf("the answer is larger than %d bytes", h.maxBody)
	}
	return resp.StatusCode, answer, err
}

// Probe asks for the health of the agent whose endpoint is given.
func (h *HTTP) Probe(ctx context.Context, endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	u.Path, u.RawQuery = "/health", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Sleep waits on the clock.
func (h *HTTP) Sleep(ctx context.Context, _ string, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Addresses returns the addresses from which the agent at endpoint can
// call. A name is looked up; "localhost" is every loopback address.
func (h *HTTP) Addresses(ctx context.Context, endpoint string) (addrs []string) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil
	}
	addrs = []string{u.Hostname()}
	if ip := net.ParseIP(u.Hostname()); ip != nil || u.Hostname() == "localhost" {
		return addrs
	}
	known, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	if err != nil {
		return addrs
	}
	return append(addrs, known...)
}

// Random fills b from the system's generator.
func (h *HTTP) Random(b []byte) { _, _ = rand.Read(b) }

// ServeHTTP answers POST /mcp and GET /health.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/health" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		writeJSON(w, marshal(map[string]string{"status": "healthy", "agent": n.Sender()}))
	case r.URL.Path != "/mcp":
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST a JSON-RPC 2.0 request here", http.StatusMethodNotAllowed)
	default:
		n.servePost(w, r)
	}
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
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	answer := n.Answer(r.Context(), From{Addr: host}, body)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	writeJSON(w, answer)
}

func writeJSON(w http.ResponseWriter, b json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = w.Write(b)
}

// A Server serves one handler on its listeners.
type Server struct {
	http      *http.Server
	listeners []net.Listener
}

// Listen opens port on the loopback addresses of both families, since
// "localhost" may mean either. Port 0 takes a free one.
func Listen(port int, h http.Handler) (*Server, error) {
	first, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	s := &Server{listeners: []net.Listener{first}, http: &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}}
	if second, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", s.Port())); err == nil {
		s.listeners = append(s.listeners, second)
	}
	return s, nil
}

// Port returns the port that is served.
func (s *Server) Port() int { return s.listeners[0].Addr().(*net.TCPAddr).Port }

// URL returns the endpoint to register.
func (s *Server) URL() string { return fmt.Sprintf("http://localhost:%d/mcp", s.Port()) }

// Serve answers until ctx ends, then gives open requests a moment to finish.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() { failed <- s.http.Serve(l) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.http.Shutdown(grace); err != nil {
		return s.http.Close()
	}
	return nil
}
