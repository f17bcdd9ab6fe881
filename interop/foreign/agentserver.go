package foreign

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// An agentServer hosts a manager or a referee: its HTTP server, its background tasks and its recorded errors.
type agentServer struct {
	server *http.Server
	port   int
	served chan error
	base   context.Context
	stop   context.CancelFunc
	busy   sync.WaitGroup

	failing  sync.Mutex
	failures []string
}

// open serves an agent on a free port.
func (h *agentServer) open(owner http.Handler) error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h.port, h.served = l.Addr().(*net.TCPAddr).Port, make(chan error, 1)
	h.base, h.stop = context.WithCancel(context.Background())
	h.server = &http.Server{Handler: owner, ReadHeaderTimeout: 5 * time.Second}
	go func() { h.served <- h.server.Serve(l) }()
	return nil
}

// Endpoint is where calls are taken.
func (h *agentServer) Endpoint() string { return fmt.Sprintf("http://localhost:%d/mcp", h.port) }

// Close cancels open tasks and waits for them.
func (h *agentServer) Close() {
	h.stop()
	_ = h.server.Close()
	<-h.served
	h.busy.Wait()
}

// Failures returns the errors.
func (h *agentServer) Failures() []string {
	h.failing.Lock()
	defer h.failing.Unlock()
	return append([]string(nil), h.failures...)
}

// failed records an error that a test can read with Failures. Third-party agents have no testing.T to fail.
func (h *agentServer) failed(format string, args ...any) {
	h.failing.Lock()
	defer h.failing.Unlock()
	h.failures = append(h.failures, fmt.Sprintf(format, args...))
}
