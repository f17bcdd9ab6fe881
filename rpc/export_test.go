package rpc

import (
	"net/http"
	"time"
)

// No test of this package finds in a message what the gate has read for another.
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
		writeAnswer(w, n.Answer(r.Context(), n.fromOf(r), body))
	}
}

// SideOf names who answers a request.
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

// What the MCP side is bounded by.
const (
	MaxSessions      = maxSessions
	MaxSubscriptions = maxSubscriptions
	QuietFor         = quietFor
)

// Hurry gives every request less time.
func (s *Server) Hurry(d time.Duration) { s.http.ReadTimeout, s.http.WriteTimeout = d, d }

// MCPMethods are all that the MCP side answers.
var MCPMethods = mcpMethods

// CameBack makes an expectation one whose call has come back without an answer.
func (e *Expectation) CameBack() {
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	e.empty = true
}

// In all tests of this package memory of requests that was given back is scribbled over at once: whoever still reads
// from it is found out.
func init() {
	releasedRoom = func(memory []byte) {
		for i := range memory {
			memory[i] = '!'
		}
	}
}

// KeepsQuestion reports whether the memory of a question of so many bytes is kept for another.
func KeepsQuestion(bytes int) bool { return roomsForQuestions.keeps(bytes) }
