// Package llmtest is a model's server that does what a test tells it, in both shapes that package chat speaks.
//
//	Good(0), Garbage, Slow(d), Limited(30), … ─▶ Server ◀─ POST /v1/chat/completions, /v1/messages
//
// It keeps its own count of requests, tokens and time, against which a test holds what somebody else has counted.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Reply is how a server answers one request.
type Reply struct {
	Text    string // what the model says
	Pick    bool   // it says the legal move of that number instead, by the request's schema
	Move    int
	Refuses bool // the model says that it will not
	Cut     bool // its answer is longer than allowed

	Delay    time.Duration
	Streams  bool
	Breaks   bool   // the stream ends in its middle
	Body     string // in place of an answer
	Status   int    // default 200
	After    string // Retry-After
	Dead     bool   // the connection is closed without an answer
	NoCount  bool   // nobody is told the tokens
	Thinks   string // before the answer, as some servers leave it in
	Redirect string
}

// Good answers with the legal move of a number, from 0.
func Good(move int) Reply { return Reply{Pick: true, Move: move} }

// Says answers with a text.
func Says(text string) Reply { return Reply{Text: text} }

// Limited refuses by a limit on requests, and says when to come again.
func Limited(after string) Reply {
	return Reply{Status: http.StatusTooManyRequests, After: after, Body: `{"error":{"message":"Rate limit reached for requests"}}`}
}

// A Server answers as it was told: one reply for each request, the last one for all that follow.
type Server struct {
	URL string

	mu       sync.Mutex
	script   []Reply
	requests []Request
	count    Count
	ended    chan struct{}
}

// A Count is what a server has counted.
type Count struct {
	Requests, Input, Cached, Output int
	Took                            time.Duration // over the answers that were told whole
}

// A Request is what somebody asked.
type Request struct {
	Path     string
	Header   http.Header
	Body     string
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	System    string `json:"system"`
	MaxTokens int    `json:"max_tokens"`
}

// New starts a server that ends with the test.
func New(t testing.TB, script ...Reply) *Server {
	t.Helper()
	s := &Server{script: script, ended: make(chan struct{})}
	h := httptest.NewServer(s)
	s.URL = h.URL
	t.Cleanup(func() { close(s.ended); h.Close() })
	return s
}

// Count returns what was counted so far.
func (s *Server) Count() Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Requests returns what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP answers as the script says.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.models(w)
		return
	}
	began := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	q := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: string(body)}
	_ = json.Unmarshal(body, &q) // a test looks at what it wants
	reply := s.next(q)
	select {
	case <-time.After(reply.Delay):
	case <-r.Context().Done():
		return
	case <-s.ended:
		return
	}
	switch {
	case reply.Dead:
		panic(http.ErrAbortHandler)
	case reply.Redirect != "":
		http.Redirect(w, r, reply.Redirect, http.StatusTemporaryRedirect)
	case reply.Body != "" || reply.Status != 0:
		s.refuse(w, reply)
	default:
		s.answer(w, q, reply, began)
	}
}

// models tells the one model, unless the next reply is that nobody may ask. It counts as no request.
func (s *Server) models(w http.ResponseWriter) {
	s.mu.Lock()
	reply := s.script[0]
	s.mu.Unlock()
	if reply.Status == 0 {
		reply = Reply{Body: `{"data":[{"id":"scripted"}]}`}
	}
	s.refuse(w, reply)
}

// next counts a request and takes the next reply of the script; the last one is given for ever.
func (s *Server) next(q Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q)
	s.count.Requests++
	reply := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return reply
}

// refuse answers as a server in trouble does: any status, any text, and when to come again.
func (s *Server) refuse(w http.ResponseWriter, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	if reply.After != "" {
		w.Header().Set("Retry-After", reply.After)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = io.WriteString(w, reply.Body)
}

// counted is what one answer took, by this server's own count: four bytes of a request are a token, and every second
// request finds a part of itself in a cache.
func (s *Server) counted(q Request, text string, began time.Time) (input, cached, output int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	input, output = len(q.Body)/4, 1+len(strings.Fields(text))
	if len(s.requests)%2 == 0 {
		cached = input / 2
	}
	s.count.Input += input
	s.count.Cached += cached
	s.count.Output += output
	s.count.Took += time.Since(began)
	return input, cached, output
}
