package rpc

import (
	"net/http"
	"time"
)

// Released buffers of the gate are overwritten in all tests of this package.
func init() { poisonBuffers = true }

// NewServer makes a server of listeners that a test has opened.
var NewServer = newServer

// MaxBuckets is how many a limiter remembers.
const MaxBuckets = maxBuckets

// Len returns how many a limiter remembers.
func (l *Limiter) Len() int { return len(l.known) }

// ServePlain answers as the node would if it spoke nothing but league.v2.
func (n *Node) ServePlain(w http.ResponseWriter, r *http.Request) {
	if body, ok := readRequest(w, r, n.MaxBody); ok {
		writeAnswer(w, n.Answer(r.Context(), n.FromOf(r), body))
	}
}

// SideOf names the side that answers a request.
func (n *Node) SideOf(r *http.Request, body []byte) string {
	return [...]string{"league", "session", "modern", "bare"}[sideOf(r, body, n.responder.takes)]
}

// Sessions returns how many sessions are kept.
func (n *Node) Sessions() int {
	s := n.mcp.gate().sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len()
}

// The limits of the MCP side.
const (
	MaxSessions      = maxSessions
	MaxSubscriptions = maxSubscriptions
	QuietFor         = quietFor
)

// Hurry gives every request less time.
func (s *Server) Hurry(d time.Duration) { s.http.ReadTimeout, s.http.WriteTimeout = d, d }

// MCPMethods are all that the MCP side answers.
var MCPMethods = mcpMethods

// CameBack marks an expectation whose call has returned without an answer.
func (e *Expectation) CameBack() {
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	e.empty = true
}

// In all tests of this package released request buffers are overwritten at once, which reveals later reads.
func init() {
	releasedRoom = func(memory []byte) {
		for i := range memory {
			memory[i] = '!'
		}
	}
}

// KeepsQuestion reports whether a question's buffer of that size returns to the pool.
func KeepsQuestion(bytes int) bool { return roomsForQuestions.keeps(bytes) }
