package rpc

import (
	"container/list"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc/connlimit"
)

// The maximum number of MCP sessions of a node, and of concurrent MCP requests. Idle sessions are closed after a while;
// above the maximum, the longest idle ones are closed first. A client whose session was closed opens another.
const (
	maxSessions = 1024
	maxStreams  = 2048
	quietFor    = 15 * time.Minute
)

// sessions holds the sessions of a node's MCP clients. Only MCP versions up to 2025-11-25 have sessions.
type sessions struct {
	server *mcp.Server

	mu      sync.Mutex
	known   map[string]*list.Element
	order   *list.List // of *session, the one used last in front
	streams int        // requests under way
	sweeper *time.Timer
}

// A session is the state of one MCP session. A session with requests in progress is never closed as idle.
type session struct {
	id   string
	used time.Time
	busy int // requests under way

	subscribed int // number of subscribed resources
}

func newSessions(server *mcp.Server) *sessions {
	return &sessions{server: server, known: map[string]*list.Element{}, order: list.New()}
}

// enter registers an MCP request, or refuses it if there are too many. Call done after the answer.
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

// use records a use of a session; busy, which may be negative, is added to its number of requests in progress. The
// caller holds the lock.
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

// add registers a new session, and closes idle ones above the maximum. The caller holds the lock.
func (s *sessions) add(id string) {
	if s.known[id] != nil {
		return
	}
	s.known[id] = s.order.PushFront(&session{id: id, used: time.Now()})
	if s.order.Len() > maxSessions {
		// several at a time, since each search scans all sessions
		s.end(maxSessions/16, func(*session) bool { return true })
	}
	if s.sweeper == nil {
		s.sweeper = time.AfterFunc(quietFor/4, s.sweep)
	}
}

// sweep closes the sessions that were idle for too long.
func (s *sessions) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(s.order.Len(), func(one *session) bool { return time.Since(one.used) > quietFor })
	s.sweeper = nil
	if s.order.Len() > 0 {
		s.sweeper = time.AfterFunc(quietFor/4, s.sweep)
	}
}

// end closes up to most idle sessions for which old returns true, the longest idle first. The caller holds the lock.
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

// forget removes a session that has ended. The caller holds the lock.
func (s *sessions) forget(id string) {
	if place := s.known[id]; place != nil {
		s.order.Remove(place)
		delete(s.known, id)
	}
}

// maxSubscriptions is the maximum number of subscriptions of a session. The SDK stores every subscribed address, so
// that the limit bounds its memory; all nonexistent resources share one address.
const maxSubscriptions = 1024

// subscribe adds more to the number of a session's subscriptions. It returns false if that would exceed the limit.
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
