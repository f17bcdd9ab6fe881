// Package llmtest is a scripted model server for tests, with both APIs of package chat.
//
//	Good(0), Garbage, Slow(d), Limited(30), … ─▶ Server ◀─ POST /v1/chat/completions, /v1/messages
//
// It counts requests, tokens and time, so that a test can compare them with a client's count.
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
	Text    string // the model's answer
	Pick    bool   // it answers the legal move of that number instead, by the request's schema
	Move    int
	Refuses bool // the model declines
	Cut     bool // its answer is longer than allowed

	Delay    time.Duration
	Streams  bool
	Breaks   bool   // the stream ends in its middle
	Body     string // in place of an answer
	Status   int    // default 200
	After    string // Retry-After
	Dead     bool   // the connection is closed without an answer
	NoCount  bool   // without a token count
	Thinks   string // before the answer, as some servers leave it in
	Redirect string
}

// Good returns a reply with the legal move at an index, from 0.
func Good(move int) Reply { return Reply{Pick: true, Move: move} }

// Says answers with a text.
func Says(text string) Reply { return Reply{Text: text} }

// Limited returns a rate limit error with a Retry-After header.
func Limited(after string) Reply {
	return Reply{Status: http.StatusTooManyRequests, After: after, Body: `{"error":{"message":"Rate limit reached for requests"}}`}
}

// A Server answers requests from its script: one reply per request. The last reply is repeated for all further
// requests.
type Server struct {
	URL string

	mu       sync.Mutex
	script   []Reply
	requests []Request
	count    Count
	ended    chan struct{}
}

// A Count is a server's count.
type Count struct {
	Requests, Input, Cached, Output int
	Took                            time.Duration // over the complete answers
}

// A Request is a received request.
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

// Count returns the count so far.
func (s *Server) Count() Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP answers from the script.
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
	_ = json.Unmarshal(body, &q) // tests check the parts that they need
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

// models answers a request for the list of models, which has one. If the next reply of the script is an error, it is
// returned instead. Such requests are not counted and do not advance the script.
func (s *Server) models(w http.ResponseWriter) {
	s.mu.Lock()
	reply := s.script[0]
	s.mu.Unlock()
	if reply.Status == 0 {
		reply = Reply{Body: `{"data":[{"id":"scripted"}]}`}
	}
	s.refuse(w, reply)
}

// next counts a request and returns the next reply of the script; the last reply is repeated.
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

// refuse writes an error response with the reply's status, body and Retry-After header.
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

// counted computes the usage of one answer and adds it to the server's count. Four bytes count as a token, and every
// second request has a cached part.
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
