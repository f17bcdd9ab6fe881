package cli

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"agentleague/protocol"
)

// maxPorts is up to how many players each agent of a run has a port of its own.
// Beyond, all of them share the manager's.
const maxPorts = 256

// A door is where an agent can be reached: a port of its own, or a room.
type door interface {
	URL() string
	Serve(ctx context.Context, h http.Handler) error
	Close() error
}

// rooms are the agents that share a port, each under a path of its own: what
// comes to /p/P01/mcp reaches the player P01 as /mcp.
type rooms struct {
	mu    sync.RWMutex
	front http.Handler // whose port it is
	base  string       // its address, without a path
	taken map[string]*room
}

func newRooms() *rooms { return &rooms{taken: map[string]*room{}} }

// open makes the rooms those of the agent at url, which gets what is for none of them.
func (r *rooms) open(url string, front http.Handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.front = strings.TrimSuffix(url, "/mcp"), front
}

func (r *rooms) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path := roomIn(req.URL.Path)
	r.mu.RLock()
	front, room := r.front, r.taken[path]
	r.mu.RUnlock()
	if room == nil {
		front.ServeHTTP(w, req)
		return
	}
	select {
	case <-room.open:
		http.StripPrefix(path, room.agent).ServeHTTP(w, req)
	case <-req.Context().Done():
	}
}

// roomIn returns the part of a path that names a room, such as /p/P01.
func roomIn(path string) string {
	if len(path) < 3 || path[0] != '/' || path[2] != '/' {
		return ""
	}
	id, _, _ := strings.Cut(path[3:], "/")
	return path[:3+len(id)]
}

// take takes a room for an agent. Calls that come before it is served wait.
func (r *rooms) take(role protocol.Role, id string) door {
	return r.takeAt("/" + string(role)[:1] + "/" + id)
}

// takeAt takes the room at a path, such as /p/P01.
func (r *rooms) takeAt(path string) door {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &room{rooms: r, path: path, open: make(chan struct{})}
	r.taken[out.path] = out
	return out
}

// A room is the door of an agent that shares a port.
type room struct {
	rooms *rooms
	path  string
	agent http.Handler
	open  chan struct{} // closed when there is an agent
}

// URL returns the endpoint to register.
func (r *room) URL() string { return r.rooms.base + r.path + "/mcp" }

// Serve lets h answer until ctx ends.
func (r *room) Serve(ctx context.Context, h http.Handler) error {
	r.agent = h
	close(r.open)
	<-ctx.Done()
	return r.Close()
}

// Close gives the room back.
func (r *room) Close() error {
	r.rooms.mu.Lock()
	defer r.rooms.mu.Unlock()
	delete(r.rooms.taken, r.path)
	return nil
}
