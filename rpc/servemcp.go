package rpc

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"agentleague/protocol"
)

// An mcpSide answers the MCP requests to a node. Its gateway is created by the first request: most of ten thousand
// players in one process are never called over MCP.
type mcpSide struct {
	responder  *responder
	furnishing sync.Once // of Options.Furnish

	mu      sync.Mutex
	gateway *gateway // nil: not needed yet
}

// gate returns the gateway, and creates it if necessary.
func (s *mcpSide) gate() *gateway {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gateway == nil {
		role, _ := protocol.ParseSender(s.responder.Sender())
		s.gateway = newGateway(role, s.responder.Options, s.responder.answerBody)
		for _, t := range s.responder.handlers.types() {
			s.gateway.addTool(t)
		}
	}
	return s.gateway
}

// handle registers a handler for messages of type t, and adds the MCP tool for them.
func (s *mcpSide) handle(t protocol.Type, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responder.handlers.put(t, h)
	if s.gateway != nil {
		s.gateway.addTool(t)
	}
}

// serve answers a request with the given body by the part of the gateway that to selects, see sideOf.
func (s *mcpSide) serve(w http.ResponseWriter, r *http.Request, to side, from From, body []byte) {
	if !s.responder.asked.Allow(s.responder.Limits.Open, from.Addr) {
		s.responder.served("", protocol.RateLimited.Code)
		w.Header().Set("Retry-After", "1")
		http.Error(w, TooMany("requests").Detail, http.StatusTooManyRequests)
		return
	}
	if furnish := s.responder.Furnish; furnish != nil {
		s.furnishing.Do(furnish)
	}
	g := s.gate()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set(peerHeader, from.Addr)
	if to == bareSide {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	stream, done, ok := g.sessions.enter(w, r)
	if !ok {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many MCP requests are running here; try again later", http.StatusServiceUnavailable)
		return
	}
	defer done()
	switch to {
	case modernSide:
		g.modern.ServeHTTP(stream, stream.request)
	case bareSide:
		g.bare.ServeHTTP(stream, stream.request)
	default:
		g.stateful.ServeHTTP(stream, stream.request)
	}
}
