package host

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A Listener is the endpoint of an agent: a separate port, or a path on a shared one.
type Listener interface {
	URL() string
	Serve(ctx context.Context, h http.Handler) error
	Close() error
}

// A PathMux lets agents share a port, each under a separate path: requests to /p/P01/mcp reach the player P01 as
// /mcp.
type PathMux struct {
	mu    sync.RWMutex
	owner http.Handler // the agent that owns the port
	base  string       // its address, without a path
	taken map[string]*pathListener
}

// NewPathMux returns an unopened one.
func NewPathMux() *PathMux { return &PathMux{taken: map[string]*pathListener{}} }

// Open sets the agent that owns the port, and its URL. The owner receives all requests outside of the agents' paths.
func (r *PathMux) Open(url string, owner http.Handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.owner = strings.TrimSuffix(url, "/mcp"), owner
}

// ServeHTTP passes a request to the agent named in its path. If that agent is not served yet, the request waits.
func (r *PathMux) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path := agentPath(req.URL.Path)
	r.mu.RLock()
	owner, listener := r.owner, r.taken[path]
	r.mu.RUnlock()
	if listener == nil {
		owner.ServeHTTP(w, req)
		return
	}
	select {
	case <-listener.open:
		http.StripPrefix(path, listener.agent).ServeHTTP(w, req)
	case <-req.Context().Done():
	}
}

// ServePost implements [rpc.PostHandler] for agents that are being served; ok is false for any other request.
func (r *PathMux) ServePost(ctx context.Context, req *rpc.Post) (answer []byte, ok bool) {
	path := agentPath(req.Path)
	r.mu.RLock()
	agent, listener := r.owner, r.taken[string(path)]
	r.mu.RUnlock()
	if listener != nil {
		select {
		case <-listener.open:
			agent, req.Path = listener.agent, req.Path[len(path):]
		default: // ServeHTTP waits for it
			return nil, false
		}
	}
	h, ok := agent.(rpc.PostHandler)
	if !ok {
		return nil, false
	}
	return h.ServePost(ctx, req)
}

// agentPath returns the part of a path that names an agent, such as /p/P01.
func agentPath[T string | []byte](path T) T {
	if len(path) < 3 || path[0] != '/' || path[2] != '/' {
		return path[:0]
	}
	end := 3
	for end < len(path) && path[end] != '/' {
		end++
	}
	return path[:end]
}

// take reserves the path for an agent's role and id, such as /p/P01, and returns its listener.
func (r *PathMux) take(role protocol.Role, id string) Listener {
	return r.takeAt("/" + string(role)[:1] + "/" + id)
}

// takeAt takes a path, such as /s/x.
func (r *PathMux) takeAt(path string) Listener {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &pathListener{mux: r, path: path, open: make(chan struct{})}
	r.taken[out.path] = out
	return out
}

// A pathListener is the [Listener] of an agent that shares a port.
type pathListener struct {
	mux   *PathMux
	path  string
	agent http.Handler
	open  chan struct{} // closed when there is an agent
}

// URL returns the endpoint to register.
func (r *pathListener) URL() string { return r.mux.base + r.path + "/mcp" }

// attach passes the requests of the path to h until Close.
func (r *pathListener) attach(h http.Handler) {
	r.agent = h
	close(r.open)
}

// Serve lets h answer until ctx ends.
func (r *pathListener) Serve(ctx context.Context, h http.Handler) error {
	r.attach(h)
	<-ctx.Done()
	return r.Close()
}

// Close gives the path back.
func (r *pathListener) Close() error {
	r.mux.mu.Lock()
	defer r.mux.mu.Unlock()
	delete(r.mux.taken, r.path)
	return nil
}
