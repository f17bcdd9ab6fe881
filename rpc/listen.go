package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"agentleague/rpc/connlimit"
	"agentleague/rpc/gate"
)

// A Server has open ports, which Serve serves later. Connections that arrive before that wait.
type Server struct {
	http      *http.Server
	listeners []net.Listener
	base      string     // the scheme and the host of its endpoint
	secure    bool       // it speaks TLS
	gate      *gate.Gate // that is before http; nil: none is

	mu    sync.Mutex
	fresh map[net.Conn]bool // connections that have not been used
}

// A Place is the host, port and TLS configuration of a server. The zero value means a free port of this machine, which
// other machines cannot reach.
type Place struct {
	Host string      // the name or address by which other machines reach this one; default: localhost
	Port int         // 0: a free one
	TLS  *tls.Config // with a certificate for the host; default: plain HTTP
}

// Listen opens a port of this machine alone.
func Listen(port int) (*Server, error) { return Place{Port: port}.Listen() }

// Listen opens the port on the loopback addresses of both IP versions, since "localhost" may mean either, and on the
// addresses of the host. Port 0 selects a port that is free on all of them. On a machine without IPv6, IPv4 is enough.
func (p Place) Listen() (*Server, error) {
	more, err := p.addresses()
	if err != nil {
		return nil, err
	}
	listeners, err := listenAll(more, p.Port)
	for try := 1; err != nil && p.Port == 0 && try < 10; try++ { // a port that is free on one address may be taken on another
		listeners, err = listenAll(more, p.Port)
	}
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if p.TLS != nil {
		scheme = "https"
		for i, l := range listeners {
			listeners[i] = tls.NewListener(l, p.TLS)
		}
	}
	s := newServer(listeners)
	s.secure = p.TLS != nil
	s.base = scheme + "://" + net.JoinHostPort(p.host(), fmt.Sprint(s.Port()))
	return s, nil
}

// host returns the host name for the endpoint that the agent announces.
func (p Place) host() string {
	if p.Host == "" {
		return "localhost"
	}
	return strings.Trim(p.Host, "[]")
}

// addresses returns the addresses of the host, other than loopback.
func (p Place) addresses() (out []netip.Addr, err error) {
	if p.host() == "localhost" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", p.host())
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		a = a.Unmap()
		if a.IsUnspecified() {
			return nil, fmt.Errorf(
				"%s is not an address by which others can reach this machine; give the one that they use", a)
		}
		if a != netip.AddrFrom4([4]byte{127, 0, 0, 1}) && a != netip.IPv6Loopback() {
			out = append(out, a)
		}
	}
	return out, nil
}

// listenAll opens a port on the loopback addresses and on the addresses more.
func listenAll(more []netip.Addr, port int) ([]net.Listener, error) {
	out, err := loopback(port)
	if err != nil {
		return nil, err
	}
	port = out[0].Addr().(*net.TCPAddr).Port
	for _, a := range more {
		l, err := net.Listen("tcp", netip.AddrPortFrom(a, uint16(port)).String())
		if err != nil {
			for _, open := range out {
				_ = open.Close()
			}
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// newServer returns a server for open listeners. Its timeouts limit how long a slow client holds a connection.
func newServer(listeners []net.Listener) *Server {
	s := &Server{listeners: listeners, fresh: map[net.Conn]bool{}}
	s.base = fmt.Sprintf("http://localhost:%d", s.Port())
	s.http = &http.Server{
		ConnState:         s.note,
		ConnContext:       connlimit.WithConn,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(quietly{os.Stderr}, "", log.LstdFlags),
	}
	return s
}

// note tracks which connections have not sent a request yet, so that closeUnused can close them.
func (s *Server) note(c net.Conn, state http.ConnState) {
	connlimit.Process.Note(c, state)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.fresh, c)
	if state == http.StateNew {
		s.fresh[c] = true
	}
}

// closeUnused closes the connections without a request, since net/http would wait for their first request.
func (s *Server) closeUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.fresh {
		_ = c.Close()
	}
}

// loopback listens on both loopback addresses at the same port, or only on IPv4 if the machine has no IPv6. So clients
// of "localhost" reach the agent with either IP version, and no other process can take the port on one of them.
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

// URL returns the server's /mcp endpoint, which the agent registers.
func (s *Server) URL() string { return s.base + "/mcp" }

// Close closes the listeners of a server that is not going to serve.
func (s *Server) Close() error {
	var err error
	for _, l := range s.listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Serve serves requests with h until ctx ends, and then lets open requests finish for a short time. All listeners are
// closed when it returns. If h is a [PostHandler], plain requests reach it through the gate, unless the port uses TLS.
func (s *Server) Serve(ctx context.Context, h http.Handler) error {
	base := ServedUntil(context.Background(), ctx)
	s.http.Handler = connlimit.Process.Serving(h)
	s.http.BaseContext = func(net.Listener) context.Context { return base }
	serve := s.http.Serve
	if posts, ok := h.(PostHandler); ok && !s.secure {
		s.http.Handler = onceByHTTP(s.http.Handler)
		s.gate = &gate.Gate{Handler: posts, HTTP: s.http, Base: base, ConnState: connlimit.Process.NoteGate, Poison: poisonBuffers}
		serve = s.gate.Serve
	}
	ended := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() { ended <- serve(connlimit.Process.Listener(l)) }()
	}
	open := len(s.listeners)
	var err error
	select {
	case err = <-ended:
		open--
		s.cut()
	case <-ctx.Done():
		s.shutdown(ctx)
	}
	for range open {
		<-ended
	}
	return err
}

// ServedUntil returns ctx with serving stored in it, the context of the server: long-running answers to the request
// end with serving. The returned context itself does not end with it.
func ServedUntil(ctx, serving context.Context) context.Context {
	return context.WithValue(ctx, servingKey{}, serving)
}

// servingKey is the context key for the context of the server, at whose end long-running answers end.
type servingKey struct{}

// shutdown ends the server gracefully. Requests that take too long are cancelled.
func (s *Server) shutdown(ctx context.Context) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	s.closeUnused()
	ended := make(chan error, 1)
	go func() { ended <- s.http.Shutdown(grace) }()
	if s.gate != nil && s.gate.Shutdown(grace) != nil || <-ended != nil {
		s.cut()
	}
}

// cut ends the server and all its connections.
func (s *Server) cut() {
	if s.gate != nil {
		s.gate.Close()
	}
	_ = s.http.Close()
}

// poisonBuffers makes the gate overwrite released buffers, for tests.
var poisonBuffers bool

// quietly is the writer of the server's ErrorLog. It drops the errors that any client can cause at will.
type quietly struct{ io.Writer }

// Write writes a line unless it reports an error that any client can cause by connecting.
func (q quietly) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "TLS handshake error") {
		return len(line), nil
	}
	return q.Writer.Write(line)
}
