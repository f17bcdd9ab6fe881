package rpc

import (
	"container/list"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc/connlimit"
)

// The maximum number of sessions of a node, and of concurrent MCP requests. An idle session ends after a while; above
// the maximum, the one that has been idle longest makes room for the newest. A client with an ended session opens
// another.
const (
	maxSessions = 1024
	maxStreams  = 2048
	quietFor    = 15 * time.Minute
)

// sessions are those of the MCP clients of a node, up to version 2025-11-25;
// newer ones have none.
type sessions struct {
	server *mcp.Server

	mu      sync.Mutex
	known   map[string]*list.Element
	order   *list.List // of *session, the one used last in front
	streams int        // requests under way
	sweeper *time.Timer
}

// A session is that of one MCP client. A busy one is never ended for being idle.
type session struct {
	id   string
	used time.Time
	busy int // requests under way

	subscribed int // number of subscribed resources
}

func newSessions(server *mcp.Server) *sessions {
	return &sessions{server: server, known: map[string]*list.Element{}, order: list.New()}
}

// enter notes that a request has come. It is refused if there are too many.
// Done is to be called after its answer.
func (s *sessions) enter(w http.ResponseWriter, r *http.Request) (out *stream, done func(), ok bool) {
	id := r.Header.Get(sessionHeader)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= min(maxStreams, max(connlimit.FileLimit()/4, 16)) {
		return nil, nil, false
	}
	s.streams++
	s.use(id, 1)
	out, restore := newStream(w, r)
	return out, func() {
		restore()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams--
		s.use(id, -1)
		switch opened := w.Header().Get(sessionHeader); {
		case id == "" && opened != "":
			s.add(opened)
		case r.Method == http.MethodDelete:
			s.forget(id)
		}
	}, true
}

// use notes that a session is used. The caller holds the lock.
func (s *sessions) use(id string, busy int) {
	place := s.known[id]
	if place == nil {
		return
	}
	one := place.Value.(*session)
	one.busy += busy
	one.used = time.Now()
	s.order.MoveToFront(place)
}

// add notes a new session, and ends those that there is no room for. The caller holds the lock.
func (s *sessions) add(id string) {
	if s.known[id] != nil {
		return
	}
	s.known[id] = s.order.PushFront(&session{id: id, used: time.Now()})
	if s.order.Len() > maxSessions {
		// several at a time, since finding them takes a scan of all
		s.end(maxSessions/16, func(*session) bool { return true })
	}
	if s.sweeper == nil {
		s.sweeper = time.AfterFunc(quietFor/4, s.sweep)
	}
}

// sweep ends the sessions that have been quiet for long.
func (s *sessions) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(s.order.Len(), func(one *session) bool { return time.Since(one.used) > quietFor })
	s.sweeper = nil
	if s.order.Len() > 0 {
		s.sweeper = time.AfterFunc(quietFor/4, s.sweep)
	}
}

// end ends up to most quiet sessions that are old enough, the longest quiet
// first. The caller holds the lock.
func (s *sessions) end(most int, old func(*session) bool) {
	gone := map[string]bool{}
	for place := s.order.Back(); place != nil && len(gone) < most; {
		one := place.Value.(*session)
		place = place.Prev()
		if one.busy == 0 && old(one) {
			gone[one.id] = true
			s.forget(one.id)
		}
	}
	if len(gone) == 0 {
		return
	}
	for open := range s.server.Sessions() {
		if gone[open.ID()] {
			go func() { _ = open.Close() }() // it may wait for a handler
		}
	}
}

// forget drops a session that has ended. The caller holds the lock.
func (s *sessions) forget(id string) {
	if place := s.known[id]; place != nil {
		s.order.Remove(place)
		delete(s.known, id)
	}
}

// The SDK stores every subscribed address, existing or not. To bound the memory, a session has a maximum number of
// subscriptions, and all nonexistent resources share one.
const maxSubscriptions = 1024

// subscribe counts the subscriptions of a session, and reports whether it may have them.
func (s *sessions) subscribe(id string, more int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.known[id]
	if place == nil { // it is as short as its request
		return true
	}
	one := place.Value.(*session)
	if one.subscribed+more > maxSubscriptions {
		return false
	}
	one.subscribed = max(one.subscribed+more, 0)
	return true
}
